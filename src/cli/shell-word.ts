import { printable } from './printable.js';

/** A text as one word of a command that a person may copy into a shell; an id of a run may hold anything. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\w./:@%+,=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
