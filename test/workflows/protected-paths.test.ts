import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/contract/json.js';
import { decisionFor } from '../../src/client.js';
import { defineAgent } from '../../src/registry/define-agent.js';
import { ScriptedModel } from '../../src/models/scripted-model.js';
import { DEFAULT_PROTECTED_PATHS } from '../../src/workspace/protected-paths.js';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, recordedManifest, scheduled } from '../harness/history.js';

const call = (tool: string, args: JsonObject) => ({ calls: [{ tool, args }] });
const files = { 'plans/a.txt': 'word\n', 'open.txt': 'word\n', '.env': 'word\n', 'deep/b.plan': 'word\n' };

describe("an agent's own protected paths", () => {
  it('are recorded beside the default ones, refused by the guard and shown by no search [path:protected] [risk:pinned]', async () => {
    const script = [
      call('read', { path: 'Plans/A.txt' }),
      call('ls', { path: 'plans' }),
      call('read', { path: '.env' }),
      call('write', { path: 'deep/new.plan', content: 'x' }),
      call('grep', { pattern: 'word' }),
      call('find', { pattern: '**' }),
      call('ls', {}),
      { text: 'done' },
    ];
    const protectedPaths = ['plans/**', '*.plan'];
    const budgets = { maxConsecutiveErrors: 9 };
    await withAgent({ files, script, protectedPaths, budgets, enableWriteTools: true }, async (agent) => {
      const runId = await agent.start();
      await agent.client.result(runId);
      const history = await agent.history(runId);
      expect(recordedManifest(history).manifest.protectedPaths).toEqual([
        ...DEFAULT_PROTECTED_PATHS,
        ...protectedPaths,
      ]);
      const verdicts = markers(history, 'guardPaths').map(({ result }) => result as { allowed: boolean });
      expect(verdicts.map(({ allowed }) => allowed)).toEqual([false, false, false, false, true, true, true]);
      expect(scheduled(history, 'executeTool')).toHaveLength(3);
      const told = agent.model.requests.at(-1)?.messages ?? [];
      const [grep, find, ls] = told.flatMap((m) => (m.role === 'tool' && m.status === 'ok' ? [m.text] : []));
      expect(grep).toBe('open.txt:1: word');
      expect(find).toMatch(/^open\.txt$/m);
      expect(ls).toMatch(/open\.txt/);
      expect(`${find}\n${ls}`).not.toMatch(/plan|\.env/);
      expect(failedWorkflowTasks(history)).toBe(0);
    });
  });

  it('hold for a run that recorded them, when a worker names them no longer [path:protected] [risk:pinned]', async () => {
    const script = [
      call('write', { path: 'x', content: '' }),
      call('read', { path: 'plans/a.txt' }),
      { text: 'done' },
    ];
    const options = { files, script, protectedPaths: ['plans/**'], enableWriteTools: true };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.redeploy({ protectedPaths: [] });
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      const verdicts = markers(await agent.history(runId), 'guardPaths').map(({ result }) => result);
      expect(verdicts).toMatchObject([{ allowed: true }, { allowed: false, code: 'path_refused' }]);
    });
  });

  it.each([
    ['a list that is none', 'plans/**', /^a: protectedPaths must be a list of globs\.$/],
    ['an exception', ['x', '!.env'], /^a: protectedPaths\[1\] begins with !; protected paths are added/],
    ['a choice in braces', ['*.{a,b}'], /^a: protectedPaths\[0\] has braces/],
    ['what is no text', [7], /^a: protectedPaths\[0\] must be a glob/],
  ])('are refused with %s [path:protected]', (_what, protectedPaths, says) => {
    const options = { name: 'a', instructions: '', workspace: '.', model: new ScriptedModel([]) };
    const define = () => defineAgent({ ...options, protectedPaths: protectedPaths as string[] });
    expect(define).toThrow(expect.objectContaining({ code: 'invalid_agent' }));
    expect(define).toThrow(says);
  });

  it('are refused when absolute, which would protect nothing [path:protected]', async () => {
    await withAgent({ files, script: [] }, async (agent) => {
      await expect(agent.redeploy({ protectedPaths: [`${agent.workspace}/plans`] })).rejects.toMatchObject({
        code: 'invalid_agent',
        message: expect.stringMatching(/protectedPaths\[0\] is absolute(?!.*\/plans)/),
      });
      await agent.redeploy();
    });
  });
});
