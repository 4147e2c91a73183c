import type { Preview } from '../contract/preview.js';
import type { PreviewContext } from '../registry/tool.js';
import { FileProblem } from '../workspace/file-problem.js';
import { relativePath } from '../workspace/guard.js';
import type { GuardedPath } from '../workspace/workspace.js';
import { applyEdits, type TextEdit } from './apply-edits.js';
import { fileNow } from './file-now.js';
import { unifiedDiff } from './unified-diff.js';

/** What edit would change, or why it would fail as the file is now (`hitl:preview`). Changes nothing. */
export async function previewEdit(
  { path, edits }: { readonly path: GuardedPath; readonly edits: readonly TextEdit[] },
  context: PreviewContext,
): Promise<Preview> {
  const file = await fileNow(context, path);
  const { basis } = file;
  switch (file.kind) {
    case 'text':
      try {
        const after = applyEdits(file.text, edits).text;
        const relative = relativePath(context.workspace, path);
        return { basis, ...unifiedDiff({ path: relative, before: file.text, after }) };
      } catch (error) {
        if (error instanceof FileProblem) return { basis, kind: 'text', text: wouldFail(error.message) };
        throw error;
      }
    case 'opaque': {
      const count = edits.length === 1 ? 'one edit' : `${edits.length} edits`;
      return {
        basis,
        kind: 'text',
        text: `No diff: the file ${file.why} (${file.size} bytes). The call asks for ${count}; see the arguments.`,
      };
    }
    case 'absent':
      return { basis, kind: 'text', text: wouldFail('No such file.') };
    case 'unusable':
      return { basis, kind: 'text', text: wouldFail(file.why) };
  }
}

function wouldFail(why: string): string {
  return `As things are now, the call would fail: ${why}`;
}
