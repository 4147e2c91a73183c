import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { APPROVAL_SIGNAL, DECIDE_UPDATE } from '../../src/contract/names.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (text: string) => ({ metadata: { encoding: bytes('json/plain') }, data: bytes(text) });

const payloads = {
  'raw bytes': [{ metadata: { encoding: bytes('binary/plain') }, data: new Uint8Array([0xff, 0, 0x80]) }],
  'wrong JSON': [json('{"requestKey":')],
  'JSON that is not UTF-8': [
    { metadata: { encoding: bytes('json/plain') }, data: new Uint8Array([0x22, 0xff, 0x22]) },
  ],
  'no metadata': [{ data: bytes('{}') }],
  'an encoding that is no text': [
    { metadata: { encoding: new Uint8Array([0xff, 0xfe]) }, data: bytes('{}') },
  ],
  'a protobuf encoding': [{ metadata: { encoding: bytes('json/protobuf') }, data: bytes('{}') }],
  '1 MB': [json(JSON.stringify({ reason: 'x'.repeat(1024 * 1024) }))],
  'a decisionId of 100 KB': [json(JSON.stringify({ decisionId: 'x'.repeat(100_000) }))],
  'deep nesting': [json('['.repeat(20_000) + ']'.repeat(20_000))],
  'a number that no double holds': [json('{"requestKey":1e999}')],
  'a lone number that no double holds': [json('1e999')],
  'nesting up to the very limit': [json('{"a":'.repeat(250) + '1' + '}'.repeat(250))],
  'no payload': [],
  null: [json('null')],
  'a string': [json('"yes"')],
  'an array': [json('[]')],
  'an empty object': [json('{}')],
  'a wrong key': [json('{"key":1}')],
  'an unknown decision': [json('{"requestKey":"k","decision":"maybe"}')],
  'a __proto__ member': [json('{"__proto__":{"decision":"approve"},"requestKey":"k"}')],
  'a forged mark of the converter': [
    json('{"holdfastUndecodable":true,"reason":{"toString":null},"bytes":1}'),
  ],
  'two arguments': [json('{}'), json('{}')],
} as const;

async function sendRaw(
  agent: TestAgent,
  runId: string,
  signalName: string,
  input: readonly object[],
): Promise<void> {
  await agent.client.temporal.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: runId },
    signalName,
    input: { payloads: [...input] },
  });
}

describe('a hostile decision', () => {
  it('of any shape fails no workflow task, leaves the request pending and is recorded; then a good one works [hitl:refused-decision] [hitl:signal] [H22]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      for (const input of Object.values(payloads)) await sendRaw(agent, runId, APPROVAL_SIGNAL, input);
      await sendRaw(agent, runId, 'no-such-signal', [json('{}')]);

      const expected = Object.keys(payloads).length;
      await vi.waitFor(
        async () => {
          expect(markers(await agent.history(runId), 'validateApproval')).toHaveLength(expected);
        },
        { timeout: 30_000, interval: 100 },
      );
      const before = await agent.history(runId);
      for (const { result } of markers(before, 'validateApproval')) {
        expect(result).toMatchObject({
          accepted: false,
          code: expect.stringMatching(/malformed|large|unknown/u),
        });
        expect(JSON.stringify(result).length).toBeLessThan(2000);
      }
      expect((await agent.client.pending(runId)).map((r) => r.requestKey)).toEqual([request.requestKey]);
      expect(scheduled(before, 'executeTool')).toEqual([]);

      const good = decisionFor(request, { decision: 'approve', approver: 'ada' });
      expect(await agent.client.decide(runId, good)).toMatchObject({ counted: true });
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(failedWorkflowTasks(events)).toBe(0);
      expect(scheduled(events, 'executeTool')).toHaveLength(1);
    });
  });

  it('sent as an update is refused to its sender with a code [hitl:refused-decision] [H22]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const handle = agent.client.temporal.workflow.getHandle(runId);
      for (const payload of [null, 'yes', [], 7, { reason: 'x'.repeat(1_500_000) }]) {
        const answer = handle.executeUpdate(DECIDE_UPDATE, { args: [payload] });
        await expect(answer).rejects.toMatchObject({
          cause: { type: expect.stringMatching(/^holdfast\./u) },
        });
      }
      for (const payload of [{}, { key: 1 }, { requestKey: 'k', decision: 'maybe' }]) {
        const answer = await handle.executeUpdate(DECIDE_UPDATE, { args: [payload] });
        expect(answer).toMatchObject({ counted: false, code: 'malformed_decision' });
      }
      const events = await agent.history(runId);
      expect(failedWorkflowTasks(events)).toBe(0);
      expect(markers(events, 'validateApproval')).toHaveLength(3);
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
    });
  });
});
