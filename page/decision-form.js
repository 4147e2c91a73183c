import { ask, Refusal } from './api.js';
import { h, show } from './dom.js';
import { visible } from './visible.js';

/**
 * The decision about exactly what the request showed. A refusal is told where it happened, and nothing that was typed
 * is lost; an edit that tool or guard refuse is mended in its place.
 */
export function decisionForm(request, { notice, path, refresh }) {
  // One id for each thing that is decided: sent twice, it counts once.
  const ids = new Map();
  const result = h('div', { class: 'result', role: 'alert' });
  const reason = h('textarea', { id: 'reason', rows: '2' });
  const editor = h('textarea', {
    id: 'args',
    rows: '12',
    spellcheck: 'false',
    'aria-describedby': 'args-fault',
  });
  editor.value = JSON.stringify(request.args, undefined, 2);
  const fault = h('p', { id: 'args-fault', class: 'fault', role: 'alert' });
  const form = h('form', { class: 'decision', submit: (event) => event.preventDefault() });

  const send = async (draft) => {
    const key = JSON.stringify(draft);
    if (!ids.has(key)) ids.set(key, randomId());
    const { tool, argsDigest, schemaDigest } = request;
    form.querySelectorAll('button').forEach((button) => (button.disabled = true));
    show(fault);
    show(result);
    editor.removeAttribute('aria-invalid');
    try {
      const body = { ...draft, tool, argsDigest, schemaDigest, decisionId: ids.get(key) };
      const { status, body: answer } = await ask(`${path}/decision`, { method: 'POST', body });
      if (status === 202 || answer.remaining === undefined) location.hash = '#/';
      else await refresh();
      // After the word on a request that has changed: this is why it has.
      notice(toldOf(status, answer));
    } catch (error) {
      await refused(error, draft);
    } finally {
      form.querySelectorAll('button').forEach((button) => (button.disabled = false));
    }
  };

  const refused = async (error, draft) => {
    if (!(error instanceof Refusal)) {
      show(result, 'The server cannot be reached. Nothing is lost: try again.');
      return;
    }
    if (draft.decision === 'edit' && error.status === 422) {
      editor.setAttribute('aria-invalid', 'true');
      show(fault, visible(error.message));
      editor.focus();
      return;
    }
    show(result, h('strong', {}, visible(error.code)), ' ', visible(error.message));
    if ([409, 410].includes(error.status)) await refresh();
  };

  const edit = () => {
    let args;
    try {
      args = JSON.parse(editor.value);
    } catch (error) {
      editor.setAttribute('aria-invalid', 'true');
      show(fault, `This is not JSON: ${error.message}`);
      editor.focus();
      return;
    }
    void send({ decision: 'edit', args });
  };

  form.append(
    h('h2', {}, 'Your decision'),
    h(
      'p',
      { class: 'buttons' },
      button('Approve', () => send({ decision: 'approve' }), 'approve'),
      request.grantable && button('Approve for this run', () => send({ decision: 'approve', scope: 'run' })),
    ),
    h('label', { for: 'reason' }, 'Why not, for the model to read'),
    reason,
    h(
      'p',
      { class: 'buttons' },
      button(
        'Deny',
        () => send({ decision: 'deny', ...(reason.value !== '' && { reason: reason.value }) }),
        'deny',
      ),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'Change the arguments'),
      h('label', { for: 'args' }, 'Arguments as JSON; they are checked again'),
      editor,
      fault,
      h('p', { class: 'buttons' }, button('Run with these arguments', edit)),
    ),
    result,
  );
  return form;
}

function button(text, act, kind = '') {
  return h('button', { type: 'button', class: kind, click: act }, text);
}

function toldOf(status, { decision, remaining }) {
  if (status === 202) return 'Sent. No worker answers now; it is judged once one is back.';
  if (remaining !== undefined) return `Your approval counts; ${remaining} more needed.`;
  return decision === 'deny' ? 'Denied.' : 'Approved.';
}

/** Also where the page is served without TLS, and randomUUID is missing. */
function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
