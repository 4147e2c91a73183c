const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;
/** Far deeper than any tree of files; what judges a path takes time with the square of its depth. */
const MAX_NAMES = 256;

/**
 * What is wrong with a path's text before any file is looked at, said of "it"; undefined for a text that can
 * be judged. Nothing is expanded, trimmed or mended: `~`, URLs, backslashes and blanks are ordinary
 * characters of names (`path:hostile-names`).
 */
export function spellingFault(text: string): string | undefined {
  if (text === '') return 'is empty. Name a file or directory in the workspace.';
  if (/\p{Surrogate}/u.test(text)) return 'is not well-formed Unicode.';
  if (/\p{Cc}/u.test(text)) return 'holds a control character, which no path here may.';
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes.`;
  const names = text.split('/');
  if (names.length > MAX_NAMES) return `is deeper than ${MAX_NAMES} names.`;
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
    return `holds a name longer than ${MAX_NAME_BYTES} bytes.`;
  }
  return undefined;
}
