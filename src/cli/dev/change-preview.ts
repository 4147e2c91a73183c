import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { ApprovalRequest } from '../../contract/decision.js';
import type { JsonObject } from '../../contract/json.js';

/** Gives a file of the workspace by its canonical relative path. */
export type ReadWorkspaceFile = (
  relative: string,
) => Promise<{ readonly text: string } | 'absent' | 'unreadable'>;

/**
 * What edit or write would change, as a unified diff against the file as it is now; undefined for other tools,
 * for files that are no readable text, and for edits that do not fit the file. A help for the eye: what counts are the arguments.
 */
export async function changePreview(
  { tool, paths }: Pick<ApprovalRequest, 'tool' | 'paths'>,
  args: JsonObject,
  readFile: ReadWorkspaceFile,
): Promise<string | undefined> {
  const relative = paths.find((path) => path.argument === 'path')?.relative;
  if (relative === undefined || (tool !== 'edit' && tool !== 'write')) return undefined;
  const file = await readFile(relative);
  if (file === 'unreadable') return undefined;
  const before = file === 'absent' ? '' : file.text;
  const after = tool === 'write' ? args.content : edited(before, args.edits);
  if (typeof after !== 'string') return undefined;
  const from = file === 'absent' ? 'new file' : relative;
  return createTwoFilesPatch(from, relative, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

function edited(before: string, edits: JsonObject[string]): string | undefined {
  if (!Array.isArray(edits)) return undefined;
  let after = before;
  for (const edit of edits) {
    if (typeof edit?.oldText !== 'string' || typeof edit.newText !== 'string') return undefined;
    const [head, tail, ...more] = after.split(edit.oldText);
    if (head === undefined || tail === undefined || more.length > 0) return undefined;
    after = head + edit.newText + tail;
  }
  return after;
}
