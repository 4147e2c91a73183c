import { fieldsOf } from './fields-of.js';

/** A list of parts as one text: a model is shown texts only, and of any other part is told that it was there. */
export function textsOf(parts: readonly unknown[]): string {
  return parts.map(textOf).join('\n');
}

function textOf(part: unknown): string {
  const { type, text } = fieldsOf(part);
  if (type === 'text' && typeof text === 'string') return text;
  const kind = typeof type === 'string' && /^[a-z-]{1,20}$/.test(type) ? ` (${type})` : '';
  return `[A part of the result${kind} is no text and is not shown.]`;
}
