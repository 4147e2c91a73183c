import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ticketHelper } from '../../examples/ticket-helper/agent.js';
import { decisionFor } from '../../src/client.js';
import { loadAgents } from '../../src/cli/load-agents.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { outputs, toldToModel } from '../harness/history.js';

const files = { 'docs/returns.md': 'The refund holds its price.\n' };
const approve = { decision: 'approve', approver: 'ada' } as const;

function withHelper(body: (agent: TestAgent) => Promise<void>): Promise<void> {
  return withAgent({ script: [], files, define: ticketHelper }, body);
}

describe('the ticket helper', () => {
  it('is an agent module without any built-in tool [surface:allow]', async () => {
    const [agent] = await loadAgents(['examples/ticket-helper/agent.ts']);
    expect(agent).toMatchObject({ name: 'ticket-helper', noTools: 'builtin' });
  });

  it('reads what it may, is refused what it may not, and answers once a person has agreed [surface:examples] [hitl:order]', async () => {
    await withHelper(async (agent) => {
      const runId = await agent.start('Answer TICKET-17.');
      const request = await agent.request(runId);
      expect(request).toMatchObject({ tool: 'reply_to_ticket', args: { id: 'TICKET-17' } });
      const outbox = join(agent.workspace, 'outbox');
      expect(existsSync(outbox)).toBe(false);
      await agent.client.decide(runId, decisionFor(request, approve));
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', budget: { errors: 1 } });
      expect(await readFile(join(outbox, 'TICKET-17.md'), 'utf8')).toContain('within 30 days');
      const events = await agent.history(runId);
      expect(toldToModel(events).map(({ status }) => status)).toEqual(['ok', 'error', 'ok', 'ok']);
      const told = outputs(events).join('\n');
      expect(told).toContain('TICKET-17: lamp');
      expect(told).not.toContain('belongs to another desk');
    });
  });

  it('is not let past its allowlist by a person who edits the id [hitl:revalidated] [surface:examples]', async () => {
    await withHelper(async (agent) => {
      const runId = await agent.start('Answer TICKET-17.');
      const request = await agent.request(runId);
      const args = { ...request.args, id: 'TICKET-99' };
      const edit = { decision: 'edit', approver: 'ada', args } as const;
      await agent.client.decide(runId, decisionFor(request, edit));
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', budget: { errors: 2 } });
      expect(existsSync(join(agent.workspace, 'outbox'))).toBe(false);
      expect(toldToModel(await agent.history(runId)).at(-1)?.status).toBe('error');
    });
  });
});
