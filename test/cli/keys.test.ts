import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyDirectory } from '../../src/signing/key-directory.js';
import { withAgent, type TestAgentOptions } from '../harness/agent.js';
import { markers, scheduled } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';
import { holdfast } from './in-process.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A command line with a state directory of its own. */
async function here(...args: string[]) {
  vi.stubEnv('HOLDFAST_STATE_DIR', join(directory, 'state'));
  return holdfast(args);
}

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse((await here(...args, '--json')).shown) as T;
}

describe('holdfast keys', () => {
  it('makes, trusts, lists, rotates and revokes keys [hitl:signed] [api:cli]', async () => {
    expect(await here('keys', 'list')).toMatchObject({
      code: 0,
      shown: 'No key counts here yet; the first decision or worker makes one.\n',
    });
    const file = join(directory, 'ann.json');
    const made = await json<{ keyId: string; publicKey: string }>('keys', 'make', file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await here('keys', 'make', file)).toMatchObject({
      code: 2,
      complaints: 'invalid_config: This file exists. Name another.\n',
    });
    expect(await here('keys', 'trust', made.publicKey, '--holder', 'ann')).toMatchObject({
      code: 0,
      shown: `Trusted: ${made.keyId}.\n`,
    });
    const { keyId } = await json<{ keyId: string }>('keys', 'rotate');
    expect(await here('keys', 'revoke', made.keyId)).toMatchObject({ code: 0 });
    const { shown } = await here('keys', 'list');
    expect(shown).toMatch(new RegExp(`^${made.keyId} {2}as ann +until \\d{4}-`, 'm'));
    expect(shown).toMatch(new RegExp(`^${keyId} {2}in the name of any approver {2}yes$`, 'm'));
    expect(shown).not.toContain((JSON.parse(await readFile(file, 'utf8')) as { d: string }).d);
  });

  it.each([
    [['trust', 'A'.repeat(43)], /^invalid_config: Say whose key it is: --holder NAME .*--attests/],
    [['trust', 'A'.repeat(43), '--holder', 'ann', '--attests'], /^invalid_config: Say whose key it is/],
    [['trust', 'short', '--attests'], /^usage: .*43 characters of base64url/],
    [['revoke', 'nobody'], /^invalid_config: No key of this id is known\. `holdfast keys list` shows them/],
  ])('refuses %j with a line that says what to do [hitl:signed] [api:cli]', async (args, says) => {
    expect(await here('keys', ...args)).toMatchObject({ code: 2, complaints: expect.stringMatching(says) });
  });

  it('has nothing count while the file of trusted keys is damaged, and says so [hitl:signed]', async () => {
    await new KeyDirectory(join(directory, 'state')).signingKeyId();
    await writeFile(join(directory, 'state', 'keys', 'trusted.json'), '{}');
    expect(await here('keys', 'list')).toMatchObject({
      code: 2,
      complaints: expect.stringMatching(
        /^invalid_config: The file of trusted keys is damaged, so no decision/,
      ),
    });
  });
});

describe('holdfast sign-decision', () => {
  const asking: TestAgentOptions = {
    customTools: [effectTool('append', 'mutation')],
    script: [{ calls: [{ tool: 'append', args: { line: 'one' } }] }, { text: 'Over.' }],
  };

  it('prints what counts when anybody sends it, and decides nothing itself [hitl:signed] [api:cli]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const approve = ['--decision', 'approve', '--approver', 'ann'];
      const { code, shown, complaints } = await holdfast(['sign-decision', runId, '1.1', ...approve]);
      expect(code).toBe(0);
      expect(complaints).toContain(`Send it as the signal approval of workflow ${runId}`);
      expect(await agent.client.pending(runId)).toMatchObject([{ requestKey: request.requestKey }]);
      await agent.client.temporal.workflow.getHandle(runId).signal('approval', JSON.parse(shown));
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(markers(events, 'validateApproval')).toMatchObject([
        { result: { accepted: true, decision: { approver: 'ann' } } },
      ]);
      expect(scheduled(events, 'executeTool')).toHaveLength(1);
    });
  });

  it('signs an edit, and what was signed says all of it [hitl:signed]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await agent.start();
      const { requestKey } = await agent.request(runId);
      const edit = ['--decision', 'edit', '--args', '{"line":"two"}', '--run', '--json'];
      const { shown } = await holdfast(['sign-decision', requestKey, ...edit]);
      const printed = JSON.parse(shown) as { runId: string; signal: string; input: { jws: string } };
      expect(printed).toMatchObject({ runId, signal: 'approval' });
      const claims: unknown = JSON.parse(
        Buffer.from(printed.input.jws.split('.')[1] ?? '', 'base64url').toString(),
      );
      expect(claims).toMatchObject({ requestKey, decision: 'edit', args: { line: 'two' }, scope: 'run' });
      expect(await agent.client.decide(runId, printed.input)).toMatchObject({ counted: true });
      await agent.client.result(runId);
    });
  });

  it('names what is missing before it asks the server [api:cli]', async () => {
    const edit = await holdfast(['sign-decision', 'run-1', '1.1', '--decision', 'edit']);
    expect(edit).toMatchObject({ code: 2, complaints: expect.stringContaining('An edit needs --args') });
    const none = await holdfast(['sign-decision', 'run-1', '1.1']);
    expect(none).toMatchObject({ code: 2, complaints: expect.stringContaining('--decision') });
  });
});
