/**
 * A file operation that could not be done, with a text for the model: what is wrong and what to do, without
 * paths. Tools answer it as the outcome `error`.
 */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** The system's code of a failed call, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The failure of a file-system call in words; other errors come back as they are. The system's own message holds absolute paths. */
export function asFileProblem(error: unknown): unknown {
  const code = errnoOf(error);
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) return error;
  return new FileProblem(
    TEXTS[code] ?? `The file system failed (${code}). Look at the file before you go on.`,
    { cause: error },
  );
}

const TEXTS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file. Check the name, or search for it.',
  EISDIR: 'This is a directory. Name a file.',
  EACCES: 'The file system does not permit this.',
  EPERM: 'The file system does not permit this.',
  EROFS: 'The file system is read-only.',
  ENXIO: 'This is not a regular file.',
  ENODEV: 'This is not a regular file.',
  ETXTBSY: 'The file is a program that runs now. Try again later.',
  ENOSPC: 'The disk is full. Nothing was changed.',
  EDQUOT: 'The disk quota is used up. Nothing was changed.',
  ENAMETOOLONG: 'The path is too long.',
};
