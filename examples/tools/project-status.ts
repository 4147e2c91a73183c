import { extname } from 'node:path';
import { defineTool, ToolOutcome, type Tool } from 'holdfast';
import { filesBeneath } from './files-beneath.js';

const MAX_KINDS = 20;

export interface ProjectStatusOptions {
  /** Most files counted. Default 100,000. */
  readonly maxFiles?: number;
}

/** Says how many files of each kind the workspace holds (`surface:examples`). Takes no arguments; needs no git. */
export function projectStatus({ maxFiles = 100_000 }: ProjectStatusOptions = {}): Tool {
  return defineTool(
    {
      name: 'project_status',
      description:
        'How many files of each kind the workspace holds; hidden files and installed packages are not counted.',
      riskLevel: 'read_only',
      parameters: { type: 'object', additionalProperties: false },
      idempotent: true,
      parallel: true,
    },
    async (_args, { workspace, signal }) => {
      const kinds = new Map<string, number>();
      let files = 0;
      let more = false;
      for await (const path of filesBeneath(workspace.root, signal)) {
        more = files === maxFiles;
        if (more) break;
        files += 1;
        const kind = extname(path).toLowerCase() || 'no ending';
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
      const byCount = [...kinds].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
      const shown = byCount.slice(0, MAX_KINDS);
      const others = files - shown.reduce((sum, [, count]) => sum + count, 0);
      const lines = [
        more ? `Files: more than ${files}; of the first ${files}:` : `Files: ${files}`,
        ...shown.map(([kind, count]) => `${kind}: ${count}`),
        ...(others > 0 ? [`of ${byCount.length - MAX_KINDS} other kinds: ${others}`] : []),
      ];
      return ToolOutcome.ok(lines.join('\n'));
    },
  );
}
