import { ask, follow, Refusal } from './api.js';
import { h, show } from './dom.js';
import { visible } from './visible.js';
import { callNumber, requestAddress, when } from './words.js';

const SOON_MS = 300;

/** A run: what happened, what waits, its budgets and its grants, kept up to date. */
export async function runView(main, { runId, signal, notice }) {
  const path = `/runs/${encodeURIComponent(runId)}`;
  const refresh = async () => {
    const { body } = await ask(path, { signal });
    draw(main, body, { path, notice, refresh });
  };
  await refresh();
  let timer;
  follow(runId, {
    signal,
    onEvent: () => {
      clearTimeout(timer);
      timer = setTimeout(() => refresh().catch(() => undefined), SOON_MS);
    },
  }).catch(() => undefined);
}

function draw(main, run, context) {
  const open = run.end === undefined;
  show(
    main,
    h('h1', {}, 'Run ', visible(run.runId)),
    h('p', {}, open ? 'It goes on.' : endText(run.end)),
    pendingPart(run, open),
    grantsPart(run, context),
    budgetsPart(run),
    h('section', {}, h('h2', {}, 'Timeline'), timeline(run)),
  );
}

function endText(end) {
  return ['It ended: ', end.status, end.message ? [': ', ...visible(end.message)] : []].flat();
}

function pendingPart({ runId, pending }, open) {
  if (!open) return undefined;
  if (!pending) return h('p', { class: 'warning' }, 'No worker answers: what waits is not known now.');
  if (pending.length === 0) return undefined;
  return h(
    'section',
    {},
    h('h2', {}, 'Waiting for a decision'),
    h(
      'ul',
      {},
      pending.map(({ requestKey, tool, call }) =>
        h(
          'li',
          {},
          h('a', { href: requestAddress(runId, requestKey) }, visible(tool), ` (call ${callNumber(call)})`),
        ),
      ),
    ),
  );
}

function grantsPart({ grants }, { path, notice, refresh }) {
  if (!grants || grants.length === 0) return undefined;
  const revoke = async (tool) => {
    try {
      await ask(`${path}/grants/${encodeURIComponent(tool)}`, { method: 'DELETE' });
      notice('Revoked: the next call of this tool asks again.');
      await refresh();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      notice(error.message);
    }
  };
  return h(
    'section',
    {},
    h('h2', {}, 'Grants'),
    h(
      'ul',
      {},
      grants.map(({ tool, approver }) =>
        h(
          'li',
          {},
          visible(tool),
          ', by ',
          visible(approver),
          ' ',
          h(
            'button',
            { type: 'button', click: () => revoke(tool), 'aria-label': `Revoke the grant of ${tool}` },
            'Revoke',
          ),
        ),
      ),
    ),
  );
}

function budgetsPart({ budget, budgets }) {
  if (!budgets) return undefined;
  const rows = Object.entries(budgets).filter(([, value]) => typeof value === 'number');
  return h(
    'section',
    {},
    h('h2', {}, 'Budgets'),
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Budget'), h('th', { scope: 'col' }, 'Limit'))),
      h(
        'tbody',
        {},
        rows.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, String(value)))),
      ),
    ),
    budget && h('p', {}, `Used: ${budget.errors ?? 0} errors, ${budget.tokens ?? 0} tokens.`),
  );
}

function timeline({ turns, decisions = [] }) {
  const named = turns.flatMap(({ calls }) =>
    calls.flatMap((call) => call.decisions.map(({ arrived }) => placeOf(arrived))),
  );
  const others = decisions.filter(({ arrived }) => !named.includes(placeOf(arrived)));
  return h(
    'ol',
    { class: 'timeline' },
    turns.map(({ turn, scheduled, calls, text }) =>
      h(
        'li',
        {},
        h('h3', {}, `Turn ${turn + 1}`),
        scheduled?.at !== undefined && h('p', { class: 'at' }, when(scheduled.at)),
        text && h('p', {}, visible(text, { lines: true })),
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
    decision?.reason ? [': ', ...visible(decision.reason)] : [],
  ].flat(2);
}
