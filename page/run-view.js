import { ask, Refusal } from './api.js';
import { h, part, show } from './dom.js';
import { follow } from './follow.js';
import { live } from './live.js';
import { timelinePart } from './run-timeline.js';
import { visible } from './visible.js';
import { callNumber, requestAddress } from './words.js';

/** A run: what happened, what waits, its budgets and its grants, kept up to date. */
export async function runView(main, context) {
  const { runId, signal, title } = context;
  const path = `/runs/${encodeURIComponent(runId)}`;
  const parts = [
    [part(headPart), ({ end, request }) => [end, request?.prompt]],
    [part(pendingPart), ({ end, pending }) => [end === undefined, runId, pending]],
    [part(grantsPart({ ...context, path, changed: () => view.changed() })), ({ grants }) => [grants]],
    [part(budgetsPart), ({ budget, budgets }) => [budget, budgets]],
    [part(timelinePart), ({ turns, decisions }) => [turns, decisions]],
  ];
  const load = async () => {
    const { body } = await ask(path, { signal });
    if (signal.aborted) return;
    for (const [{ update }, dataOf] of parts) update(...dataOf(body));
  };
  const view = live(load, context);
  title(`Run ${runId}`);
  await view.now();
  show(
    main,
    h('h1', {}, 'Run ', visible(runId)),
    parts.map(([{ place }]) => place),
  );
  follow(runId, { signal, onEvent: () => view.changed() }).catch((error) => {
    if (error instanceof Refusal && error.status === 401) context.signedOut();
  });
}

function headPart(end, prompt) {
  return [
    h('p', {}, end === undefined ? 'It goes on.' : endText(end)),
    prompt && h('blockquote', {}, visible(prompt, { lines: true, prose: true })),
  ];
}

function endText(end) {
  return ['It ended: ', end.status, end.message ? [': ', ...visible(end.message)] : []].flat();
}

function pendingPart(open, runId, pending) {
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

function grantsPart({ path, notice, changed }) {
  const revoke = async (tool) => {
    try {
      await ask(`${path}/grants/${encodeURIComponent(tool)}`, { method: 'DELETE' });
      notice('Revoked: the next call of this tool asks again.');
      changed();
    } catch (error) {
      notice(error instanceof Refusal ? error.message : 'The server cannot be reached. Try again.');
    }
  };
  return (grants) => {
    if (!grants || grants.length === 0) return undefined;
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
  };
}

function budgetsPart(budget, budgets) {
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
