import { Refusal, token } from './api.js';
import { h, show } from './dom.js';
import { inboxView } from './inbox-view.js';
import { requestView } from './request-view.js';
import { runView } from './run-view.js';
import { signInView } from './sign-in.js';
import { visible } from './visible.js';

// Which view the address names: #/, #/runs/ID, #/runs/ID/approvals/KEY.

const main = document.getElementById('main');
const told = document.getElementById('notice');
const signOut = document.getElementById('sign-out');
let leaving = new AbortController();

function notice(text) {
  told.textContent = text;
}

async function route({ keepNotice = false } = {}) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  if (!keepNotice) notice('');
  signOut.hidden = token.get() === undefined;
  if (token.get() === undefined) return signInView(main, { onToken: () => void route() });
  const [path = '', query = ''] = location.hash.replace(/^#/, '').split('?');
  const [, kind, runId, what, requestKey] = path.split('/').map(decodeURIComponent);
  const context = { signal, notice, query, runId, requestKey };
  try {
    if (kind === 'runs' && what === 'approvals') await requestView(main, context);
    else if (kind === 'runs') await runView(main, context);
    else await inboxView(main, context);
    if (!signal.aborted) main.focus({ preventScroll: true });
  } catch (error) {
    if (signal.aborted) return;
    failed(error);
  }
}

function failed(error) {
  if (error instanceof Refusal && error.status === 401) {
    token.clear();
    signInView(main, { refused: 'This token is not accepted.', onToken: () => void route() });
    return;
  }
  const text = error instanceof Refusal ? error.message : 'The server cannot be reached. Try again.';
  show(
    main,
    h('h1', {}, 'That did not work'),
    h('p', { class: 'fault', role: 'alert' }, visible(text)),
    h('button', { type: 'button', click: () => void route() }, 'Try again'),
  );
}

signOut.addEventListener('click', () => {
  token.clear();
  void route();
});
addEventListener('hashchange', () => void route({ keepNotice: true }));
void route();
