import { ask } from './api.js';
import { h, part, show } from './dom.js';
import { live } from './live.js';
import { visible } from './visible.js';
import { callNumber, requestAddress, runAddress, timeLeft, when } from './words.js';

const EVERY_MS = 3000;
const RISKS = ['mutation', 'destructive', 'dangerous'];

/** What waits for people in all runs, kept up to date while the page is seen. */
export async function inboxView(main, { query, signal, notice, title, ...context }) {
  const filters = Object.fromEntries(new URLSearchParams(query));
  const list = part(({ runs, nextPage }) => [rows(runs), pages(filters, nextPage)]);
  let shown;
  const load = async () => {
    const parameters = new URLSearchParams({ limit: '50', ...filters });
    const { body } = await ask(`/approvals?${parameters}`, { signal });
    if (signal.aborted) return;
    list.update(body);
    if (shown !== undefined && keysOf(body) !== shown) notice('The inbox has changed.');
    shown = keysOf(body);
  };
  title('Inbox');
  show(main, h('h1', {}, 'Waiting for a decision'), filterForm(filters), list.place);
  const view = live(load, { ...context, signal });
  await view.now();
  const timer = setInterval(() => {
    if (!document.hidden) view.changed();
  }, EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Which requests a page of the inbox lists. */
function keysOf({ runs }) {
  return runs.flatMap(({ requests }) => requests.map(({ requestKey }) => requestKey)).join(' ');
}

function applyFilters(event) {
  event.preventDefault();
  const entries = [...new FormData(event.target)].filter(([, value]) => value !== '');
  location.hash = `#/?${new URLSearchParams(entries)}`;
}

function filterForm({ agent = '', tool = '', risk = '' }) {
  return h(
    'form',
    { class: 'filters', submit: applyFilters },
    h('label', {}, 'Agent ', h('input', { name: 'agent', value: agent, autocomplete: 'off' })),
    h('label', {}, 'Tool ', h('input', { name: 'tool', value: tool, autocomplete: 'off' })),
    h(
      'label',
      {},
      'Risk ',
      h(
        'select',
        { name: 'risk' },
        h('option', { value: '' }, 'any'),
        RISKS.map((level) => h('option', { value: level, selected: level === risk }, level)),
      ),
    ),
    h('button', {}, 'Filter'),
  );
}

function rows(runs) {
  if (runs.length === 0) return h('p', { class: 'empty' }, 'Nothing waits for a person.');
  return h(
    'ul',
    { class: 'inbox' },
    runs.map(({ runId, agent, count, requests }) =>
      h(
        'li',
        {},
        h('p', { class: 'run' }, h('a', { href: runAddress(runId) }, visible(runId)), ' of ', visible(agent)),
        h(
          'ul',
          {},
          requests.map((request) => h('li', {}, requestLine(runId, request))),
        ),
        count > requests.length && h('p', {}, `and ${count - requests.length} more in this run`),
      ),
    ),
  );
}

function requestLine(
  runId,
  { requestKey, call, tool, riskLevel, expiresAt, escalatedAt, quorum = 1, approved = 0 },
) {
  return [
    h('a', { href: requestAddress(runId, requestKey) }, visible(tool), ` (call ${callNumber(call)})`),
    ' ',
    h('span', { class: `risk ${riskLevel}` }, riskLevel),
    ' ',
    timeLeft(expiresAt),
    escalatedAt !== undefined && `, asked again ${when(escalatedAt)}: nobody had decided`,
    quorum > 1 && `, ${approved} of ${quorum} approvals`,
  ];
}

function pages(filters, nextPage) {
  if (nextPage === undefined) return undefined;
  return h('a', { href: `#/?${new URLSearchParams({ ...filters, page: nextPage })}` }, 'Next page');
}
