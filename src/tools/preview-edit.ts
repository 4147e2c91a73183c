import type { ToolContext } from '../registry/tool.js';
import { FileProblem } from '../workspace/file-problem.js';
import { relativePath } from '../workspace/guard.js';
import type { GuardedPath } from '../workspace/workspace.js';
import { applyEdits, type TextEdit } from './apply-edits.js';
import { fileNow } from './file-now.js';
import type { Preview } from './preview.js';
import { unifiedDiff } from './unified-diff.js';

/** What edit would change, or why it would fail as the file is now (`hitl:preview`). Changes nothing. */
export async function previewEdit(
  { path, edits }: { readonly path: GuardedPath; readonly edits: readonly TextEdit[] },
  context: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<Preview> {
  const file = await fileNow(context, path);
  const { basis } = file;
  switch (file.kind) {
    case 'text':
      try {
        const after = applyEdits(file.text, edits).text;
        const relative = relativePath(context.workspace, path);
        return { basis, text: unifiedDiff({ path: relative, before: file.text, after }) };
      } catch (error) {
        if (error instanceof FileProblem) return { basis, text: wouldFail(error.message) };
        throw error;
      }
    case 'opaque': {
      const count = edits.length === 1 ? 'one edit' : `${edits.length} edits`;
      return {
        basis,
        text: `No diff: the file ${file.why} (${file.size} bytes). The call asks for ${count}; see the arguments.`,
      };
    }
    case 'absent':
      return { basis, text: wouldFail('No such file.') };
    case 'unusable':
      return { basis, text: wouldFail(file.why) };
  }
}

function wouldFail(why: string): string {
  return `As things are now, the call would fail: ${why}`;
}
