import { Refusal, token } from './api.js';
import { h, show } from './dom.js';
import { inboxView } from './inbox-view.js';
import { requestView } from './request-view.js';
import { runView } from './run-view.js';
import { signInView } from './sign-in.js';
import { visible, visibleText } from './visible.js';
import { keepTimesLeft } from './words.js';

// Which view the address names: #/, #/runs/ID, #/runs/ID/approvals/KEY.

const main = document.getElementById('main');
const told = document.getElementById('notice');
const old = document.getElementById('stale');
const signOut = document.getElementById('sign-out');
let leaving = new AbortController();
/** What the view that comes next tells first. */
let farewell = '';

async function route() {
  leaving.abort();
  leaving = new AbortController();
  const context = contextOf(leaving.signal);
  const { signal } = context;
  context.notice(farewell);
  context.stale('');
  farewell = '';
  signOut.hidden = token.get() === undefined;
  if (token.get() === undefined) return signIn(context);
  const [path = '', query = ''] = location.hash.replace(/^#/, '').split('?');
  try {
    const [, kind, runId, what, requestKey] = path.split('/').map(decodeURIComponent);
    const place = { ...context, query, runId, requestKey };
    if (kind === 'runs' && what === 'approvals') await requestView(main, place);
    else if (kind === 'runs') await runView(main, place);
    else await inboxView(main, place);
    if (!signal.aborted) main.focus({ preventScroll: true });
  } catch (error) {
    if (!signal.aborted) failed(error, context);
  }
}

/** What a view can do beyond its own part of the page. Nothing, once it has been left. */
function contextOf(signal) {
  const unlessLeft =
    (act) =>
    (...values) => {
      if (!signal.aborted) act(...values);
    };
  return {
    signal,
    title: unlessLeft((text) => (document.title = `${visibleText(text)} · Holdfast`)),
    notice: unlessLeft((text) => (told.textContent = text)),
    stale: unlessLeft((text) => {
      if (old.textContent !== text) old.textContent = text;
    }),
    signedOut: unlessLeft(() => {
      token.clear();
      leaving.abort();
      leaving = new AbortController();
      signOut.hidden = true;
      signIn(contextOf(leaving.signal), 'This token is not accepted.');
    }),
    leaveFor: unlessLeft((hash, text) => {
      farewell = text;
      location.hash = hash;
    }),
  };
}

function signIn({ title }, refused) {
  title('Sign in');
  signInView(main, { refused, onToken: () => void route() });
}

function failed(error, { title, signedOut }) {
  if (error instanceof Refusal && error.status === 401) return signedOut();
  const text =
    error instanceof Refusal
      ? error.message
      : error instanceof URIError
        ? 'This address names nothing. Go to the inbox.'
        : 'The server cannot be reached. Try again.';
  title('That did not work');
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
addEventListener('hashchange', () => void route());
keepTimesLeft();
void route();
