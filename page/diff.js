import { h } from './dom.js';
import { visible } from './visible.js';

/** A unified diff, line by line: what goes and what comes is said, not only coloured. */
export function diffView(text) {
  return h(
    'pre',
    { class: 'diff', tabindex: '0', role: 'region', 'aria-label': 'What would change' },
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => h('span', { class: kindOf(line) }, visible(line, { lines: true }), '\n')),
  );
}

function kindOf(line) {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
