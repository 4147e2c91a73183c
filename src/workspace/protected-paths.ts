import ignore from 'ignore';

/** What a tool wants with a path. */
export type Access = 'read' | 'write';

/** Protected against writing only; every other protected path is secret too (`path:protected`). */
const READABLE = ['.git/**', '**/.git/**'];

/** Gitignore-style globs, relative to the workspace root (`path:protected`). */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = [
  ...READABLE,
  '.env',
  '.env.*',
  '**/*.pem',
  '.ssh/**',
  '**/.ssh/**',
  '.holdfast/**',
];

/** The protected paths that may not be read either. */
export function secretGlobs(protectedPaths: readonly string[]): string[] {
  return protectedPaths.filter((glob) => !READABLE.includes(glob));
}

/**
 * A test for whether `access` to a path is forbidden by `protectedPaths`. It takes canonical paths relative to
 * the root. Names are compared without regard to case, Unicode form and invisible characters, as some file
 * systems do; a directory covers everything beneath it, and `x/**` and `x/` cover `x` itself.
 */
export function forbidden(protectedPaths: readonly string[], access: Access): (relative: string) => boolean {
  const globs = access === 'write' ? protectedPaths : secretGlobs(protectedPaths);
  const rules = ignore({ ignorecase: true }).add(
    globs.flatMap((glob) => [fold(withoutSlash(glob)), ...itself(glob)]),
  );
  return (relative) => relative !== '.' && rules.ignores(fold(relative));
}

/** Whether a path is a directory is not known here, and `x/` would not cover one that is to be made. */
function withoutSlash(glob: string): string {
  return glob.endsWith('/') ? glob.slice(0, -1) : glob;
}

/** For `x/**` the directory itself, anchored as the glob is. */
function itself(glob: string): string[] {
  if (!glob.endsWith('/**') || glob.startsWith('!')) return [];
  const directory = fold(glob.slice(0, -3));
  return [directory.includes('/') ? directory : `/${directory}`];
}

function fold(path: string): string {
  return path.split('/').map(foldName).join('/');
}

/** Canonical decomposition only: a compatibility form could turn a character of a name into a slash. */
function foldName(name: string): string {
  const visible = name.normalize('NFD').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return ['', '.', '..'].includes(visible) ? name : visible.toUpperCase().toLowerCase();
}
