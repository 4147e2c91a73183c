import type { Preview } from '../contract/preview.js';
import type { PreviewContext } from '../registry/tool.js';
import { relativePath } from '../workspace/guard.js';
import type { GuardedPath } from '../workspace/workspace.js';
import { fileNow } from './file-now.js';
import { linesOf, unifiedDiff } from './unified-diff.js';

/** What write would change, or why it would fail as things are now (`hitl:preview`). Changes nothing. */
export async function previewWrite(
  { path, content }: { readonly path: GuardedPath; readonly content: string },
  context: PreviewContext,
): Promise<Preview> {
  const file = await fileNow(context, path);
  const { basis } = file;
  const relative = relativePath(context.workspace, path);
  switch (file.kind) {
    case 'text':
      if (file.text === content)
        return { basis, kind: 'text', text: 'The file holds exactly this content already.' };
      return { basis, ...unifiedDiff({ path: relative, before: file.text, after: content }) };
    case 'absent':
      if (content === '') return { basis, kind: 'text', text: `${relative}: a new, empty file.` };
      return { basis, ...unifiedDiff({ path: relative, before: undefined, after: content }) };
    case 'opaque': {
      const size = `${Buffer.byteLength(content)} bytes in ${linesOf(content)} lines`;
      return {
        basis,
        kind: 'text',
        text: `No diff: the file ${file.why} (${file.size} bytes). All of it is replaced by ${size}; see the arguments.`,
      };
    }
    case 'unusable':
      return { basis, kind: 'text', text: `As things are now, the call would fail: ${file.why}` };
  }
}
