import { lstat, readlink, realpath } from 'node:fs/promises';
import { errnoOf } from './file-problem.js';

/** As the Linux kernel counts. */
const MAX_LINKS = 40;

export type CanonicalPath =
  { readonly inside: true; readonly path: string } | { readonly inside: false; readonly fault: string };

const OUTSIDE = refuse('is outside the workspace. Use a path inside it, relative to its root.');

/**
 * Where a path really leads, read as the kernel reads it: `..` after a link goes up from the link's target
 * (`path:symlinks`). What does not exist yet is judged by its nearest existing ancestor; a link that does not
 * resolve is refused, since opening it for writing would create its target. Never throws. Beyond the root no
 * difference is told between what exists and what does not.
 *
 * @param root canonical, not `/`.
 * @param text has passed `spellingFault`; a relative one starts at the root (`path:workspace`).
 */
export async function canonicalPath(root: string, text: string): Promise<CanonicalPath> {
  const whole = await realpath(text.startsWith('/') ? text : `${root}/${text}`).catch(() => undefined);
  if (whole !== undefined) return isInside(root, whole) ? { inside: true, path: whole } : OUTSIDE;
  return walk(root, text);
}

/** True for the root and what is beneath it, by components (`path:inside`). Both paths are canonical. */
function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** For a path that does not resolve as a whole: finds where it stops, and why. */
async function walk(root: string, text: string): Promise<CanonicalPath> {
  let at = text.startsWith('/') ? [] : namesOf(root);
  const rest = text.split('/').toReversed();
  let links = 0;
  /** Length of `rest` where the target of the outermost link ends. */
  let linkEnd = Infinity;
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    if (rest.length < linkEnd) linkEnd = Infinity;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = at.slice(0, -1);
      continue;
    }
    const parent = pathOf(at);
    const here = pathOf([...at, name]);
    let target: string | undefined;
    try {
      const entry = await lstat(here);
      if (entry.isSymbolicLink()) target = await readlink(here);
      else if (!entry.isDirectory() && rest.length > 0) {
        return judged(root, parent, 'goes through something that is not a directory.');
      }
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') return judged(root, parent, faultOf(error));
      if (rest.length >= linkEnd)
        return judged(root, parent, 'is, or goes through, a link that leads nowhere.');
      return missing(root, at, [name, ...rest.toReversed()]);
    }
    if (target === undefined) {
      at = [...at, name];
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return judged(root, parent, 'goes through a loop of links.');
    linkEnd = Math.min(linkEnd, rest.length);
    if (target.startsWith('/')) at = [];
    rest.push(...target.split('/').toReversed());
  }
  const path = pathOf(at);
  return isInside(root, path) ? { inside: true, path } : OUTSIDE;
}

/** `names` begin with one that does not exist in `at`. */
function missing(root: string, at: readonly string[], names: readonly string[]): CanonicalPath {
  const parent = pathOf(at);
  if (names.includes('..')) return judged(root, parent, 'goes up from a directory that does not exist.');
  const last = names.at(-1);
  if (last === '' || last === '.')
    return judged(root, parent, 'ends in a slash, but no such directory exists.');
  if (!isInside(root, parent)) return OUTSIDE;
  return { inside: true, path: pathOf([...at, ...names.filter((name) => name !== '' && name !== '.')]) };
}

/** A fault is told only of what lies inside. */
function judged(root: string, parent: string, fault: string): CanonicalPath {
  return isInside(root, parent) ? refuse(fault) : OUTSIDE;
}

function faultOf(error: unknown): string {
  const code = errnoOf(error);
  if (code === 'EACCES' || code === 'EPERM') return 'goes through a directory that may not be read.';
  if (code === 'ENAMETOOLONG') return 'is too long.';
  return `cannot be looked at${code === undefined ? '' : ` (${code})`}.`;
}

function refuse(fault: string): Extract<CanonicalPath, { inside: false }> {
  return { inside: false, fault };
}

function namesOf(path: string): string[] {
  return path.split('/').slice(1);
}

function pathOf(names: readonly string[]): string {
  return `/${names.join('/')}`;
}
