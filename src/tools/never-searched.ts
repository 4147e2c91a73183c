import { secretGlobs } from '../workspace/protected-paths.js';

/**
 * Globs of what a search may leave out unseen. Only to spare the work: what is shown, the guard decides. None
 * when there are exceptions such as `!public.key`, which ripgrep does not have.
 */
export function neverSearched(protectedPaths: readonly string[]): readonly string[] {
  const secret = secretGlobs(protectedPaths);
  return secret.some((glob) => glob.startsWith('!')) ? [] : secret;
}
