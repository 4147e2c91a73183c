import { describe, expect, it } from 'vitest';
import { withAgent } from '../harness/agent.js';
import { scheduled } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';
import { withApi } from './harness.js';

describe('the place of a fault', () => {
  it.each([
    { args: { line: 7 }, pointer: '#/args/line' },
    { args: { line: 'a', note: [1, 'b'] }, pointer: '#/args/note/1' },
    { args: { line: 'a', 'x/~y': 1 }, pointer: '#/args/x~1~0y' },
    { args: {}, pointer: '#/args' },
  ])(
    'in an edit that the tool refuses is $pointer; the request stays, and nothing runs [hitl:revalidated] [api:http]',
    async ({ args, pointer }) => {
      const options = {
        customTools: [effectTool('append', 'mutation')],
        script: [{ calls: [{ tool: 'append', args: { line: 'one' } }] }],
      };
      await withAgent(options, async (agent) => {
        await withApi(agent.client, async ({ ask }) => {
          const runId = await agent.start();
          const { requestKey, tool, argsDigest, schemaDigest } = await agent.request(runId);
          const path = `/runs/${runId}/approvals/${encodeURIComponent(requestKey)}/decision`;
          const body = { decision: 'edit', args, tool, argsDigest, schemaDigest, decisionId: 'first' };
          // The same again gets the same answer.
          for (const answer of [await ask('POST', path, body), await ask('POST', path, body)]) {
            expect(answer.status).toBe(422);
            expect(answer.body).toMatchObject({ code: 'edit_invalid', errors: [{ in: 'body', pointer }] });
          }
          expect(await agent.client.pending(runId)).toHaveLength(1);
          expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
          await agent.client.cancel(runId);
        });
      });
    },
  );

  it('in any other body is named too [api:http]', async () => {
    await withAgent({ script: [] }, async (agent) => {
      await withApi(agent.client, async ({ ask }) => {
        const body = { agent: agent.name, prompt: 'Go.', budgets: { maxTurns: 'many' } };
        const answer = await ask('POST', '/runs', body);
        expect(answer.body).toMatchObject({ errors: [{ in: 'body', pointer: '#/budgets/maxTurns' }] });
      });
    });
  });
});
