import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { EditorOptions, EditorReport } from '../harness/editor-process.js';
import { openWorkspace } from '../unit/tools/call-tool.js';

const PROGRAM = fileURLToPath(new URL('../../dist/test/harness/editor-process.js', import.meta.url));
const LINES = 300;

/** An editor in a process of its own, ready to begin. */
async function startEditor(options: EditorOptions): Promise<() => Promise<EditorReport>> {
  const child = fork(PROGRAM, [JSON.stringify(options)], { execArgv: [] });
  await once(child, 'message');
  return async () => {
    const report = once(child, 'message');
    child.send('go');
    const [edited] = (await report) as [EditorReport];
    return edited;
  };
}

describe('edits of one file by several processes', () => {
  it('are all there or say that they are not: none is lost, none is falsely ok [builtin:concurrent] [H30]', async () => {
    const all = Array.from({ length: LINES }, (_, n) => n);
    const { root } = await openWorkspace({
      'f.txt': all.map((n) => `line ${String(n)};`).join('\n'),
      alias: { link: 'f.txt' },
    });
    const start = await Promise.all(
      ['f.txt', './f.txt', 'alias'].map((path, process) =>
        startEditor({
          workspace: root,
          path,
          mark: `process-${String(process)}`,
          lines: all.filter((n) => n % 3 === process),
        }),
      ),
    );
    const reports = await Promise.all(start.map((go) => go()));
    const now = (await readFile(join(root, 'f.txt'), 'utf8')).split('\n');
    const said = reports.flatMap((report, process) =>
      report.map(({ line, status, text }) => ({ line, process, status, text })),
    );
    const wrong = said.filter(({ line, process, status }) => {
      const edited = now[line] === `process-${String(process)} ${String(line)};`;
      return edited !== (status === 'ok');
    });
    expect(wrong).toEqual([]);
    expect(now).toHaveLength(LINES);
    const refusals = new Set(said.flatMap(({ status, text }) => (status === 'ok' ? [] : [text])));
    for (const text of refusals) expect(text).toContain('changed the file meanwhile');
    expect(said.filter(({ status }) => status === 'ok').length).toBeGreaterThan(LINES / 3);
    expect((await readdir(root)).toSorted()).toEqual(['alias', 'f.txt']);
  });
});
