import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/contract/json.js';
import type { ToolDef } from '../../src/contract/tool.js';
import type { Tool } from '../../src/registry/tool.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled, toldToModel } from '../harness/history.js';

// `$` stands for the directory that holds the workspace `workspace`, the sibling `workspace-evil` and `outside`.
interface Case {
  readonly of: string;
  readonly tool: string;
  readonly args: JsonObject;
}

const pathOf = (of: string, tool: string, ...paths: string[]): Case[] =>
  paths.map((path) => ({ of, tool, args: { path, ...(tool === 'write' && { content: 'x' }) } }));
const grepFor = (path: string): Case => ({ of: 'H02', tool: 'grep', args: { pattern: 'CANARY', path } });

const refused: readonly Case[] = [
  ...pathOf('H01', 'read', '$/workspace-evil/f', '../workspace-evil/f'),
  ...pathOf('H02', 'read', 'l/secret.txt', 'deep/../secret.txt'),
  ...pathOf('H02', 'ls', 'l'),
  grepFor('l'),
  ...pathOf('H02', 'write', 'l/new'),
  ...pathOf('H03', 'write', 'dangling'),
  ...pathOf('H04', 'read', '$/outside/secret.txt'),
  ...pathOf('H05', 'write', '.git/config', './.git/config', 'sub/../.git/config', '$/workspace/.git/config'),
  ...pathOf('H05', 'write', '.GIT/config', '.Git/Config', 'k', '.env', '.ENV'),
  { of: 'H07', tool: 'move', args: { src: 'a', dst: '../o' } },
  { of: 'H07', tool: 'read_many', args: { paths: ['a', '../o'] } },
  { of: 'H07', tool: 'copy', args: { job: { from: 'a', to: '/etc/x' } } },
];
const allowed: readonly Case[] = [
  ...pathOf('H01', 'read', '..foo/f', 'a..b'),
  ...pathOf('H02', 'read', 'in/a'),
  ...pathOf('H04', 'read', 'a', '$/workspace/a'),
];

const text = { type: 'string' } as const;
const declared: Readonly<Record<string, Pick<ToolDef, 'parameters' | 'pathArgs'>>> = {
  move: {
    parameters: { type: 'object', required: ['src', 'dst'], properties: { src: text, dst: text } },
    pathArgs: ['src', 'dst'],
  },
  read_many: {
    parameters: { type: 'object', properties: { paths: { type: 'array', items: text } } },
    pathArgs: ['paths[]'],
  },
  copy: {
    parameters: {
      type: 'object',
      properties: { job: { type: 'object', properties: { from: text, to: text } } },
    },
    pathArgs: ['job.from', 'job.to'],
  },
};

/** Tools that declare their paths in every way, and say when they run. */
function declaringTools(ran: () => void): Tool[] {
  return Object.entries(declared).map(([name, def]) => ({
    def: { name, description: 'Takes paths.', riskLevel: 'safe', ...def },
    handler: () => {
      ran();
      return 'ran';
    },
  }));
}

async function layOut({ workspace }: TestAgent): Promise<string> {
  const base = join(workspace, '..');
  await mkdir(join(base, 'workspace-evil'));
  await mkdir(join(base, 'outside', 'deep'), { recursive: true });
  await writeFile(join(base, 'workspace-evil', 'f'), 'CANARY');
  await writeFile(join(base, 'outside', 'secret.txt'), 'CANARY');
  await symlink(join(base, 'outside'), join(workspace, 'l'));
  await symlink(join(base, 'outside', 'deep'), join(workspace, 'deep'));
  await symlink(join(base, 'outside', 'made'), join(workspace, 'dangling'));
  await symlink(join(workspace, 'sub'), join(workspace, 'in'));
  await symlink(join(workspace, '.git', 'config'), join(workspace, 'k'));
  return base;
}

function placed({ tool, args }: Case, base: string): { tool: string; args: string } {
  return { tool, args: JSON.stringify(args).replaceAll('$', base) };
}

describe('a path that leads elsewhere than it says', () => {
  it('reaches no tool and no person, by whatever argument or spelling, and each such call has one result [path:inside] [path:symlinks] [path:protected] [path:all-or-nothing] [H01] [H02] [H03] [H04] [H05] [H07]', async () => {
    let ran = 0;
    let base = '';
    const calls = (cases: readonly Case[]) => ({ calls: cases.map((one) => placed(one, base)) });
    const options = {
      customTools: declaringTools(() => (ran += 1)),
      enableWriteTools: true,
      budgets: { maxErrors: 100, maxConsecutiveErrors: 100, maxRepeats: 0 },
      files: { a: 'a\n', '..foo/f': 'f\n', 'a..b': 'ab\n', 'sub/a': 'sub\n', '.git/config': 'kept\n' },
      script: [() => calls(refused), () => calls(allowed), { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      base = await layOut(agent);
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ budget: { errors: refused.length } });
      const events = await agent.history(runId);

      const verdicts = markers(events, 'guardPaths').map(({ result }) => result as { code?: string });
      expect(verdicts.map(({ code }) => code)).toEqual([
        ...refused.map(() => 'path_refused'),
        ...allowed.map(() => undefined),
      ]);
      const told = toldToModel(events).map(({ turn, index, status }) => [turn, index, status]);
      expect(told).toEqual([
        ...refused.map((_case, index) => [0, index, 'error']),
        ...allowed.map((_case, index) => [1, index, 'ok']),
      ]);
      expect(scheduled(events, 'executeTool').map(({ input }) => (input as Case).tool)).toEqual(
        allowed.map(({ tool }) => tool),
      );
      expect((await agent.client.status(runId)).settled).toEqual([]);

      expect(ran).toBe(0);
      expect(await readdir(join(base, 'outside'))).toEqual(['deep', 'secret.txt']);
      expect(await readFile(join(agent.workspace, '.git', 'config'), 'utf8')).toBe('kept\n');
      expect(existsSync(join(agent.workspace, '.env'))).toBe(false);
      const results = agent.model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
      expect(results?.some((message) => 'text' in message && message.text.includes('CANARY'))).toBe(false);
      expect(failedWorkflowTasks(events)).toBe(0);
    });
  });
});
