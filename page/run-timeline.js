import { h } from './dom.js';
import { visible } from './visible.js';
import { when } from './words.js';

/** What happened, turn by turn, with each call and the decisions about it. */
export function timelinePart(turns, decisions = []) {
  const named = turns.flatMap(({ calls }) =>
    calls.flatMap((call) => call.decisions.map(({ arrived }) => placeOf(arrived))),
  );
  const others = decisions.filter(({ arrived }) => !named.includes(placeOf(arrived)));
  const rows = h(
    'ol',
    { class: 'timeline' },
    turns.map(({ turn, scheduled, calls, text }) =>
      h(
        'li',
        {},
        h('h3', {}, `Turn ${turn + 1}`),
        scheduled?.at !== undefined && h('p', { class: 'at' }, when(scheduled.at)),
        text && h('p', {}, visible(text, { lines: true, prose: true })),
        h(
          'ul',
          {},
          calls.map((call) => h('li', {}, callLine(call))),
        ),
      ),
    ),
    others.length > 0 &&
      h(
        'li',
        {},
        h('h3', {}, 'Decisions about no call of this run'),
        h(
          'ul',
          {},
          others.map((record) => h('li', {}, decisionLine(record))),
        ),
      ),
  );
  return h('section', {}, h('h2', {}, 'Timeline'), rows);
}

function placeOf({ continuation, eventId }) {
  return `${continuation}:${eventId}`;
}

function callLine({ number, proposed, outcome, execution, decisions, guard }) {
  const how =
    outcome === undefined
      ? 'under way'
      : outcome.code
        ? `${outcome.status}: ${outcome.code}`
        : outcome.status;
  const by = execution?.authorization?.kind;
  const paths = pathsOf({ decisions, guard });
  return [
    `${number} `,
    h('code', {}, visible(proposed.tool)),
    ' ',
    h('strong', {}, how),
    outcome?.byPolicy ? ', by policy' : '',
    by && by !== 'free' ? `, by ${by}` : '',
    paths.length > 0 && h('p', { class: 'at' }, visible(paths.map(({ relative }) => relative).join(', '))),
    decisions.length > 0 &&
      h(
        'ul',
        {},
        decisions.map((record) => h('li', {}, decisionLine(record))),
      ),
  ];
}

/** Where it leads: an edit that counts is judged anew. */
function pathsOf({ decisions, guard }) {
  const edits = decisions.filter(
    ({ remaining, decision }) => remaining !== undefined && decision?.decision === 'edit',
  );
  return edits.at(-1)?.verdict.value.edited?.guard?.paths ?? guard?.value.paths ?? [];
}

function decisionLine({ decision, verdict, via, remaining }) {
  const value = verdict?.value;
  const judged = !value
    ? 'not judged yet'
    : value.accepted
      ? `counted (${value.signature.kind})${remaining > 0 ? `, ${remaining} more needed` : ''}`
      : value.repeated
        ? 'sent again'
        : `refused: ${value.code}`;
  return [
    visible(decision?.decision ?? 'something that is no decision'),
    decision?.approver ? [' by ', ...visible(decision.approver)] : [],
    `, by ${via}: ${judged}`,
    decision?.reason ? [': ', visible(decision.reason, { prose: true })] : [],
  ].flat(2);
}
