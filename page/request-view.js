import { ask, Refusal } from './api.js';
import { decisionForm } from './decision-form.js';
import { h, part, show } from './dom.js';
import { follow } from './follow.js';
import { live } from './live.js';
import { requestCall, requestState } from './request-parts.js';
import { visible } from './visible.js';
import { runAddress } from './words.js';

/** Codes of a request about which nothing can be decided any more. */
const OVER = ['request_decided', 'request_expired', 'request_withdrawn', 'unknown_request', 'run_closed'];

/**
 * One request: exactly what would run, and the decision. What is decided about stays as it was read: when it is no
 * longer what would run, that is said, and shown only when the reader asks for it.
 */
export async function requestView(main, context) {
  const { runId, requestKey, signal, notice, title, leaveFor } = context;
  const path = `/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(requestKey)}`;
  const state = part(requestState);
  const changed = h('div', { role: 'alert' });
  let form;
  let shown;

  const draw = (request, { reason, args } = {}) => {
    shown = request;
    state.update(request);
    form = decisionForm(request, { path, reason, decided, look: () => view.changed() });
    title(`${request.tool}, call of ${runId}`);
    show(changed);
    show(
      main,
      requestCall(request, { ...context, path }, state.place),
      changed,
      form.element,
      leftOver(args),
    );
  };
  const load = async ({ own = false } = {}) => {
    const request = await ask(path, { signal }).then(({ body }) => body, ended);
    if (request === undefined || signal.aborted) return;
    // Whether it is this form's own edit that changed it, its answer says, which is under way.
    if (!own && form?.isSending()) return view.changed();
    if (shown === undefined) return draw(request);
    if (!isAnother(request, shown)) return state.update(request);
    if (own) return draw(request, { reason: form.typed().reason });
    form.hold();
    show(
      changed,
      changedText(() => draw(request, form.typed())),
    );
  };
  const ended = (error) => {
    if (!(error instanceof Refusal && OVER.includes(error.code))) throw error;
    following.abort();
    title('Nothing to decide');
    over(main, runId, error.message, form?.typed());
  };
  const decided = async ({ status, body }) => {
    if (status === 202 || body.remaining === undefined) return leaveFor('#/', toldOf(status, body));
    await load({ own: body.decision === 'edit' }).catch(() => view.changed());
    notice(toldOf(status, body));
  };
  const view = live(() => load(), context);
  const following = new AbortController();
  signal.addEventListener('abort', () => following.abort());

  await view.now();
  follow(runId, {
    signal: following.signal,
    onEvent: ({ type }) => {
      if (type.startsWith('approval') || type === 'run_end') view.changed();
    },
  }).catch((error) => {
    if (error instanceof Refusal && error.status === 401) context.signedOut();
  });
}

/** Whether something else would run than what was read. */
function isAnother(request, shown) {
  return request.argsDigest !== shown.argsDigest || request.schemaDigest !== shown.schemaDigest;
}

function changedText(look) {
  return h(
    'div',
    { class: 'mark changed' },
    h('p', {}, 'Somebody else has changed the arguments: what stands above is no longer what would run.'),
    h('p', {}, h('button', { type: 'button', click: look }, 'Show what would run now')),
  );
}

function over(main, runId, text, typed = {}) {
  show(
    main,
    h('h1', {}, 'Nothing to decide here any more'),
    h('p', { class: 'over', role: 'alert' }, visible(text)),
    h('p', {}, h('a', { href: runAddress(runId) }, 'The run'), ' · ', h('a', { href: '#/' }, 'The inbox')),
    typed.reason && kept('The reason that you had written', typed.reason),
    leftOver(typed.args),
  );
}

/** An edit of arguments that are no longer those: never sent, never lost. */
function leftOver(args) {
  return args && kept('The arguments that you had written', args);
}

function kept(name, text) {
  const shown = h(
    'pre',
    { tabindex: '0', role: 'region', 'aria-label': name },
    visible(text, { lines: true }),
  );
  return h('section', {}, h('h2', {}, name), shown);
}

function toldOf(status, { decision, remaining }) {
  if (status === 202) return 'Sent. No worker answers now; it is judged once one is back.';
  if (remaining !== undefined) return `Your approval counts; ${remaining} more needed.`;
  return decision === 'deny' ? 'Denied.' : 'Approved.';
}
