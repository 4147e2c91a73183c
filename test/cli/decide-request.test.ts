import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { HoldfastClient } from '../../src/client.js';
import { decideRequest } from '../../src/cli/decide-request.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import { requestName } from '../../src/runs/find-request.js';
import { SERVER_KEY } from '../harness/keys.js';
import { person } from './person.js';

const REQUEST: ApprovalRequest = {
  requestKey: 'r:0:0:n:e',
  runId: 'run',
  call: { turn: 0, index: 0 },
  tool: 'write',
  riskLevel: 'mutation',
  args: {},
  argsDigest: '0'.repeat(64),
  schemaDigest: '0'.repeat(64),
  paths: [],
  modelText: '',
  requestedAt: 0,
  expiresAt: 0,
  grantable: true,
};

describe('a decision whose worker is lost', () => {
  it('is sent by signal, which is kept, and says so [api:cli] [hitl:signal]', async () => {
    const client = await HoldfastClient.connect({
      connection: { address: inject('temporalAddress') },
      signer: SERVER_KEY.signer,
    });
    try {
      const runId = await client.start({ agent: `nobody-${randomUUID().slice(0, 8)}`, prompt: 'x' });
      const draft = { decision: 'approve', approver: 'ann' } as const;
      const { terminal, complaints } = person([]);
      const deciding = decideRequest(client, { ...REQUEST, runId }, draft, terminal);
      await expect(deciding).rejects.toMatchObject({
        code: 'no_worker',
        message: expect.stringMatching(/The decision waits in the run/),
      });
      expect(complaints()).toBe('Waiting for a worker of this agent to answer, at most 10 s.\n');
      const handle = client.temporal.workflow.getHandle(runId);
      const { events } = await handle.fetchHistory();
      await handle.terminate();
      const signals = events?.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
      expect(signals?.filter(Boolean)).toEqual(['approval']);
    } finally {
      await client.close();
    }
  });
});

describe('the name of a request', () => {
  it.each([
    ['its key', 'run-1:0:2:nonce:exec', undefined, { runId: 'run-1', requestKey: 'run-1:0:2:nonce:exec' }],
    ['a key of a run with colons', 'a:b:0:2:n:e', undefined, { runId: 'a:b', requestKey: 'a:b:0:2:n:e' }],
    ['run and call', 'run-1', '12.3', { runId: 'run-1', call: '12.3' }],
    ['a run that looks like a key, and call', 'a:0:2:n:e', '1.1', { runId: 'a:0:2:n:e', call: '1.1' }],
  ])('may be %s', (_what, first, call, name) => {
    expect(requestName(first, call)).toEqual(name);
  });

  it.each([
    ['a run alone', 'run-1', undefined],
    ['a key cut short', 'run-1:0:2:nonce', undefined],
    ['a call from 0', 'run-1', '0.1'],
    ['a call without its index', 'run-1', '1'],
    ['a call with signs', 'run-1', '+1.1'],
  ])('may not be %s', (_what, first, call) => {
    expect(() => requestName(first, call)).toThrow(/such as/);
  });
});
