/** What can be said of a text before it is parsed; `plausible` says nothing yet. */
export type JsonOutline = 'plausible' | 'too_deep' | 'truncated' | 'doubled';

/** Looks at brackets and quotes only, in one pass and constant memory, so that nothing deep is ever parsed. */
export function outlineOf(text: string, mostDepth: number): JsonOutline {
  let depth = 0;
  let ended = false;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charAt(i);
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
      continue;
    }
    if (/\s/.test(c)) continue;
    if (ended) return 'doubled';
    if (c === '"') inString = true;
    else if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') {
      depth -= 1;
      ended = depth === 0;
    }
    if (depth > mostDepth) return 'too_deep';
  }
  return inString || depth > 0 ? 'truncated' : 'plausible';
}
