import { setTimeout as delay } from 'node:timers/promises';
import { decisionFor, type HoldfastClient, type DecisionDraft } from '../../src/client.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import type { ScriptedTurn } from '../../src/models/scripted-model.js';
import { ModelFailure } from '../../src/models/model.js';
import type { AgentOptions } from '../../src/registry/define-agent.js';
import { effectTool } from '../harness/tools.js';

/** A kind of run whose history is kept: its agent, and what people do while it goes on. */
export interface Kind {
  readonly name: string;
  readonly script: readonly ScriptedTurn[];
  readonly agent?: Partial<AgentOptions>;
  /** Its worker tells webhooks of requests; the one that takes them is there. Default: none. */
  readonly announces?: true;
  readonly people?: (client: HoldfastClient, runId: string) => Promise<void>;
}

const effect = (line: string) => ({ calls: [{ tool: 'effect', args: { line } }] });
const outside = (name: string) => ({ calls: [{ tool: 'read', args: { path: `../${name}` } }] });
const read = { calls: [{ tool: 'read', args: { path: 'notes.txt' } }] };
const done = { text: 'done' };
const asking = { customTools: [effectTool('effect', 'mutation')] };
const approve: DecisionDraft = { decision: 'approve', approver: 'ada' };

export const KINDS: readonly Kind[] = [
  { name: 'free', script: [read, outside('a'), done] },
  {
    name: 'approved',
    agent: asking,
    script: [effect('x'), done],
    people: async (client, runId) => {
      await client.signalDecision(runId, decisionFor(await request(client, runId), approve));
    },
  },
  {
    name: 'edited',
    agent: asking,
    script: [effect('x'), done],
    people: async (client, runId) => {
      const asked = await request(client, runId);
      const edit = { decision: 'edit', approver: 'ada' } as const;
      await client.decide(runId, decisionFor(asked, { ...edit, args: { line: 1 } }));
      await client.decide(runId, decisionFor(asked, { ...edit, args: { line: 'y' } }));
    },
  },
  {
    name: 'denied',
    agent: asking,
    script: [effect('x'), done],
    people: async (client, runId) => {
      const deny = { decision: 'deny', approver: 'ada', reason: 'use the copy' } as const;
      await client.decide(runId, decisionFor(await request(client, runId), deny));
    },
  },
  {
    name: 'denied-by-policy',
    agent: { ...asking, approvals: { autoDeny: [{ tools: ['effect'], reason: 'use the copy' }] } },
    script: [effect('x'), done],
  },
  {
    name: 'escalated',
    announces: true,
    agent: { ...asking, approvals: { escalateAfterMs: 500, escalateTo: { approvers: ['bob'] } } },
    script: [effect('x'), done],
    people: async (client, runId) => {
      let asked = await request(client, runId);
      while (asked.escalatedAt === undefined) asked = await request(client, runId);
      // Until the second announcement is told too.
      await delay(1000);
      await client.decide(runId, decisionFor(asked, { ...approve, approver: 'bob' }));
    },
  },
  { name: 'expired', agent: { ...asking, approvalTimeoutMs: 1 }, script: [effect('x'), done] },
  {
    name: 'repeated',
    script: [read, read, read, done],
  },
  { name: 'failed', script: [read, new ModelFailure('The provider answered 400.', false)] },
  {
    name: 'failed-by-budget',
    agent: { budgets: { onExhausted: 'fail' } },
    script: [outside('a'), outside('b'), outside('c')],
  },
  { name: 'budget-exhausted', script: [outside('a'), outside('b'), outside('c'), { text: 'I give up.' }] },
  {
    name: 'budget-extended',
    agent: { budgets: { onExhausted: 'pause' } },
    script: [outside('a'), outside('b'), outside('c'), done],
    people: async (client, runId) => {
      while ((await client.status(runId)).phase !== 'exhausted') await delay(50);
      await client.extendBudget(runId, { maxConsecutiveErrors: 1 }, 'op');
    },
  },
  {
    name: 'cancelled',
    agent: asking,
    script: [effect('x')],
    people: async (client, runId) => {
      await request(client, runId);
      await client.cancel(runId);
    },
  },
  {
    name: 'granted',
    agent: asking,
    script: [effect('x'), effect('y'), done],
    people: async (client, runId) => {
      await client.decide(runId, decisionFor(await request(client, runId), { ...approve, scope: 'run' }));
    },
  },
  {
    name: 'quorum',
    agent: { ...asking, approvals: { quorum: { mutation: 2 } } },
    script: [effect('x'), done],
    people: async (client, runId) => {
      const asked = await request(client, runId);
      await client.decide(runId, decisionFor(asked, approve));
      const edit = { decision: 'edit', approver: 'bob', args: { line: 'y' } } as const;
      await client.decide(runId, decisionFor(asked, edit));
      await client.decide(runId, decisionFor(await request(client, runId), approve));
    },
  },
  {
    name: 'parallel',
    agent: {
      customTools: [effectTool('effect', 'mutation'), effectTool('free', 'safe', { parallel: true })],
    },
    script: [
      { calls: [...effect('x').calls, { tool: 'free', args: { line: 'y' } }, ...effect('z').calls] },
      done,
    ],
    people: async (client, runId) => {
      await client.decide(runId, decisionFor(await request(client, runId, 1), approve));
      await client.decide(runId, decisionFor(await request(client, runId), approve));
    },
  },
  {
    name: 'previewed',
    agent: { enableWriteTools: true },
    script: [{ calls: [{ tool: 'write', args: { path: 'notes.txt', content: 'other\n' } }] }, done],
    people: async (client, runId) => {
      await client.decide(runId, decisionFor(await request(client, runId), approve));
    },
  },
  { name: 'continued-as-new', agent: { continueAfterEvents: 1 }, script: [read, outside('a'), done] },
  {
    name: 'continued-in-turn',
    agent: { ...asking, continueAfterEvents: 1, approvals: { quorum: { mutation: 2 } } },
    script: [{ calls: [...read.calls, ...effect('x').calls] }, done],
    people: async (client, runId) => {
      const asked = await request(client, runId);
      await client.decide(runId, decisionFor(asked, approve));
      await client.decide(runId, decisionFor(asked, { ...approve, approver: 'bob' }));
    },
  },
];

/** The request at this place, oldest first, once it is there. */
async function request(client: HoldfastClient, runId: string, place = 0): Promise<ApprovalRequest> {
  for (;;) {
    const found = (await client.pending(runId))[place];
    if (found) return found;
    await delay(50);
  }
}
