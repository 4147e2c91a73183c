/** A character class that gitignore and ripgrep read alike: closed, and not empty. */
const CLASS = /\[[!^]?[^[\]]+\]/g;

/**
 * Why a text is no glob to protect paths by, in words, or undefined (`path:protected`). Refused is too what would
 * silently protect nothing: exceptions, comments, braces, and paths that no file inside the workspace has.
 */
export function protectedGlobFault(glob: unknown): string | undefined {
  if (typeof glob !== 'string' || glob.trim() === '') return 'must be a glob, such as secrets/** or *.key';
  if (glob !== glob.trim()) return 'begins or ends with a blank; leave it out';
  if (/[\p{Cc}\p{Surrogate}]/u.test(glob)) return 'holds a character that no glob has';
  if (glob.startsWith('!')) return 'begins with !; protected paths are added, never taken away';
  if (glob.startsWith('#')) return String.raw`begins with #, which would be a comment; write \#`;
  const unescaped = glob.replaceAll(/\\./gsu, '_');
  if (unescaped.includes('\\')) return 'ends with a backslash that escapes nothing';
  if (/[{}]/.test(unescaped)) return 'has braces, which are no choice here; write one glob for each';
  if ([...unescaped.matchAll(CLASS)].some(([set]) => hasBackwardRange(set))) {
    return 'has a range that runs backwards, such as [z-a]';
  }
  if (/[[\]]/.test(unescaped.replaceAll(CLASS, '_'))) {
    return String.raw`has a bracket without its other half; write \[ for a bracket itself`;
  }
  if (glob.split('/').some((name) => name === '.' || name === '..')) {
    return 'has . or .. in it; write it as seen from the workspace';
  }
  return /^\/+$|\/\//.test(glob) ? 'has a name missing between slashes' : undefined;
}

function hasBackwardRange(set: string): boolean {
  return [...set.matchAll(/(.)-(?=(.))/gsu)].some(
    ([, first = '', last = '']) => last !== ']' && first > last,
  );
}
