import { canonicalPath } from './canonical-path.js';
import { spellingFault } from './path-spelling.js';
import { forbidden, type Access } from './protected-paths.js';
import type { GuardedPath, Workspace } from './workspace.js';

export type PathVerdict =
  | { readonly allowed: true; readonly path: GuardedPath; readonly relative: string }
  | { readonly allowed: false; readonly fault: string };

/**
 * Judges one path: well spelt, inside once links are followed, not protected (`path:inside`,
 * `path:symlinks`, `path:protected`). A path that does not exist yet is allowed where a new file may be made.
 * Looks at names and links only, opens nothing, never throws. `fault` is said of "it" and holds no path.
 */
export async function guardPath(workspace: Workspace, text: unknown, access: Access): Promise<PathVerdict> {
  if (typeof text !== 'string') return { allowed: false, fault: 'is not a string.' };
  const fault = spellingFault(text);
  if (fault !== undefined) return { allowed: false, fault };
  const found = await canonicalPath(workspace.root, text);
  if (!found.inside) return { allowed: false, fault: found.fault };
  const path = mint(found.path);
  const relative = relativePath(workspace, path);
  if (forbidden(workspace.protectedPaths, access)(relative)) {
    return { allowed: false, fault: 'is a protected path, which this tool may not touch.' };
  }
  return { allowed: true, path, relative };
}

/** The root itself, for a tool whose path was omitted. */
export function guardedRoot(workspace: Workspace): GuardedPath {
  return mint(workspace.root);
}

/** As a model writes it: relative to the root, with `/`; `.` is the root. */
export function relativePath(workspace: Workspace, path: GuardedPath): string {
  return path === workspace.root ? '.' : path.slice(workspace.root.length + 1);
}

function mint(path: string): GuardedPath {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place that may say so
  return path as GuardedPath;
}
