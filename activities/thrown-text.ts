const MOST_CHARACTERS = 2000;

/**
 * What a handler threw, as the model reads it: the message, cut, with the workspace's root written as `.`;
 * never a stack. Takes anything, and never throws.
 */
export function thrownText(thrown: unknown, root: string): string {
  const message = messageOf(thrown).trim();
  if (message === '') return 'The tool failed and gave no reason.';
  const shown = withoutRoot(message, root);
  return `The tool failed: ${shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}…` : shown}`;
}

function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown;
    if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) return '';
    return typeof thrown.message === 'string' ? thrown.message : '';
  } catch {
    // A getter or a proxy of its own.
    return '';
  }
}

function withoutRoot(message: string, root: string): string {
  const literal = root.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return message.replace(new RegExp(`${literal}(?![\\w.-])`, 'g'), '.');
}
