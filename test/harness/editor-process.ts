import { editTool } from '../../src/tools/edit.js';
import { resolveWorkspace } from '../../src/workspace/resolve-workspace.js';
import { callTool } from '../unit/tools/call-tool.js';

/** What an editor process is told by its one argument, as JSON. */
export interface EditorOptions {
  readonly workspace: string;
  /** The file, in the spelling of this process. */
  readonly path: string;
  /** Numbers of the lines `line <n>;` that it edits, one call each. */
  readonly lines: readonly number[];
  readonly mark: string;
}

/** What became of each call, in the order of the lines. */
export type EditorReport = readonly {
  readonly line: number;
  readonly status: string;
  readonly text: string;
}[];

// The whole process: says that it is ready, edits once it is told to, and reports.
const { workspace, path, lines, mark } = JSON.parse(process.argv[2] ?? '') as EditorOptions;
const root = await resolveWorkspace(workspace);
process.once('message', () => {
  void edit().then((report) => process.send?.(report, () => process.exit()));
});
process.send?.('ready');

async function edit(): Promise<EditorReport> {
  const report: { line: number; status: string; text: string }[] = [];
  for (const line of lines) {
    const edits = [{ oldText: `line ${line};`, newText: `${mark} ${line};` }];
    const { status, text } = await callTool(editTool, root, { path, edits });
    report.push({ line, status, text });
  }
  return report;
}
