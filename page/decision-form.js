import { ask, Refusal } from './api.js';
import { argsEditor } from './args-editor.js';
import { h, show } from './dom.js';
import { visible } from './visible.js';

/** Refusals of what was typed, which is mended where it stands. */
const OF_THE_TEXT = [400, 413, 422];

/**
 * The decision about exactly what the request showed: `{ element, typed, isSending, hold }`. A refusal is told where it happened,
 * and nothing that was typed is lost.
 */
export function decisionForm(request, { path, decided, look, reason: typedReason = '' }) {
  // One id for each thing that is decided: sent twice, it counts once.
  const ids = new Map();
  const result = h('div', { class: 'result', role: 'alert' });
  const reason = h('textarea', { id: 'reason', rows: '2' });
  reason.value = typedReason;
  const editor = argsEditor(request.args);
  const element = h('form', { class: 'decision', submit: (event) => event.preventDefault() });
  let held = false;
  let sending = false;
  const enable = (enabled) =>
    element.querySelectorAll('button.decide').forEach((button) => (button.disabled = !enabled));

  /** `args` is text: a member given twice, or a number that is none, must come to the server as it was typed. */
  const send = async (draft, args) => {
    const key = JSON.stringify([draft, args]);
    if (!ids.has(key)) ids.set(key, randomId());
    const { tool, argsDigest, schemaDigest } = request;
    sending = true;
    enable(false);
    show(result);
    editor.clear();
    try {
      const rest = JSON.stringify({ ...draft, tool, argsDigest, schemaDigest, decisionId: ids.get(key) });
      const body = args === undefined ? rest : `${rest.slice(0, -1)},"args":${args}}`;
      await decided(await ask(`${path}/decision`, { method: 'POST', body }));
    } catch (error) {
      if (!(error instanceof Refusal))
        show(result, 'The server cannot be reached. Nothing is lost: try again.');
      else if (args !== undefined && OF_THE_TEXT.includes(error.status)) editor.refuse(error);
      else {
        show(result, h('strong', {}, visible(error.code)), ' ', visible(error.message, { prose: true }));
        look();
      }
    } finally {
      sending = false;
      enable(!held);
    }
  };
  const edit = () => {
    const args = editor.read();
    if (args !== undefined) void send({ decision: 'edit' }, args);
  };
  const deny = () => send({ decision: 'deny', ...(reason.value !== '' && { reason: reason.value }) });

  show(
    element,
    h('h2', {}, 'Your decision'),
    h(
      'p',
      { class: 'buttons' },
      button('Approve', () => send({ decision: 'approve' }), 'approve'),
      request.grantable && button('Approve for this run', () => send({ decision: 'approve', scope: 'run' })),
    ),
    h('label', { for: 'reason' }, 'Why not, for the model to read'),
    reason,
    h('p', { class: 'buttons' }, button('Deny', deny, 'deny')),
    h(
      'details',
      {},
      h('summary', {}, 'Change the arguments'),
      h('label', { for: 'args' }, 'Arguments as JSON; they are checked again'),
      editor.elements,
      h('p', { class: 'buttons' }, button('Run with these arguments', edit)),
    ),
    result,
  );
  return {
    element,
    /** `{ reason, args }`: what a person has written here; each undefined when nothing was. */
    typed: () => ({ reason: reason.value || undefined, args: editor.changed() }),
    isSending: () => sending,
    /** What is shown is no longer what would run: nothing is decided here any more. */
    hold: () => {
      held = true;
      enable(false);
    },
  };
}

function button(text, act, kind = '') {
  return h('button', { type: 'button', class: `decide ${kind}`, click: act }, text);
}

/** Also where the page is served without TLS, and randomUUID is missing. */
function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
