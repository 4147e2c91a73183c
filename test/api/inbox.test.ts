import { describe, expect, it, vi } from 'vitest';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { withApi } from './harness.js';

describe('the inbox over HTTP', () => {
  it('lists what waits in all runs without arguments, filtered, while no worker lives [api:http] [events:no-args]', async () => {
    const options = {
      customTools: [effectTool('effect', 'mutation')],
      script: [{ calls: [{ tool: 'effect', args: { line: 'never in a list' } }] }, { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      await withApi(agent.client, async (api) => {
        const runId = await agent.start();
        const { requestKey } = await agent.request(runId);
        await agent.redeploy({}, async () => {
          const path = `/approvals?agent=${agent.name}`;
          const found = await vi.waitFor(
            async () => {
              const answer = await api.ask('GET', path, undefined, { as: 'approver' });
              expect(answer.body).toMatchObject({ runs: [{ runId }] });
              return answer;
            },
            { timeout: 30_000, interval: 50 },
          );
          expect(found.status).toBe(200);
          expect(found.body).toMatchObject({
            runs: [{ agent: agent.name, count: 1, requests: [{ requestKey, tool: 'effect' }] }],
          });
          expect(JSON.stringify(found.body)).not.toContain('never in a list');
          const other = await api.ask('GET', `${path}&risk=dangerous`, undefined, { as: 'approver' });
          expect(other.body).toEqual({ runs: [] });
          const odd = await api.ask('GET', `${path}&page=bm9uc2Vuc2U`, undefined, { as: 'approver' });
          expect(odd).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
        });
        await agent.client.cancel(runId);
      });
    });
  });
});
