/**
 * Where in a JSON text the value stands that a JSON Pointer (RFC 6901) names: `{ from, to, line }`, line from 1; its
 * name and value when it is a member. Undefined when it names nothing there. The text must be JSON.
 */
export function placeIn(text, pointer) {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let range = { from: skipSpace(text, 0), to: text.trimEnd().length };
  let inside = range.from;
  for (const step of steps) {
    const child = childrenAt(text, inside).find(({ name }) => name === step);
    if (child === undefined) return undefined;
    range = child;
    inside = child.value;
  }
  return { from: range.from, to: range.to, line: text.slice(0, range.from).split('\n').length };
}

/** The members or items of what begins here: `{ name, from, value, to }`. */
function childrenAt(text, start) {
  const children = [];
  if (text[start] !== '{' && text[start] !== '[') return children;
  let at = skipSpace(text, start + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    const from = at;
    let name = String(children.length);
    if (text[start] === '{') {
      const end = endOfValue(text, at);
      name = JSON.parse(text.slice(at, end));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const to = endOfValue(text, at);
    children.push({ name, from, value: at, to });
    at = skipSpace(text, to);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return children;
}

function endOfValue(text, start) {
  let depth = 0;
  for (let at = start; ;) {
    if (text[at] === '"') at = endOfString(text, at);
    else if ('{['.includes(text[at])) [depth, at] = [depth + 1, at + 1];
    else if ('}]'.includes(text[at])) [depth, at] = [depth - 1, at + 1];
    else at = depth === 0 ? endOfWord(text, at) : at + 1;
    if (depth === 0) return at;
  }
}

function endOfString(text, start) {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfWord(text, start) {
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text[at])) at += 1;
  return at;
}

function skipSpace(text, start) {
  let at = start;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return at;
}
