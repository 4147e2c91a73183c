import { ask } from './api.js';
import { h, show } from './dom.js';

/** Each asking is work for a worker, which reads the files. */
const EVERY_MS = 15_000;

/** Says whether what a preview rests on has changed since, and goes on looking while it is seen. */
export function previewMark({ preview }, { path, signal }) {
  if (preview === undefined || preview.kind === 'failed') return undefined;
  const what = preview.kind === 'diff' ? 'the file' : 'what this rests on';
  const mark = h('p', { class: 'mark', role: 'status' }, `Looking whether ${what} has changed since.`);
  const look = async () => {
    if (document.hidden) return;
    const { state } = await ask(`${path}/preview`, { signal })
      .then(({ body }) => body)
      .catch(() => ({ state: 'unknown' }));
    const [kind, text] = WORDS[state]?.(what) ?? WORDS.unknown(what);
    // What is read aloud is what has changed.
    if (mark.textContent === text) return;
    mark.className = `mark ${kind}`;
    show(mark, text);
  };
  const again = () => {
    if (mark.isConnected && !signal.aborted) void look();
    else stop();
  };
  const timer = setInterval(again, EVERY_MS);
  const stop = () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', again);
  };
  document.addEventListener('visibilitychange', again);
  signal.addEventListener('abort', stop);
  void look();
  return mark;
}

const WORDS = {
  same: (what) => ['same', `Still so: ${what} has not changed since.`],
  changed: (what) => [
    'changed',
    `No longer so: ${what} has changed since. If you approve, nothing runs, and the model is told to look again.`,
  ],
  none: () => ['same', 'This rests on nothing that could change.'],
  unknown: (what) => [
    'warning',
    `Not known here whether ${what} has changed since. If it has, nothing runs.`,
  ],
};
