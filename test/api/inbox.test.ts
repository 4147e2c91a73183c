import { describe, expect, it, vi } from 'vitest';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { withApi } from './harness.js';

const SECRET = 'never in a list';
const call = (tool: string) => ({ calls: [{ tool, args: { line: SECRET } }] });

describe('the inbox over HTTP', () => {
  it('lists what waits in all runs by agent, tool and risk, page by page, without arguments and without a worker [api:http] [events:no-args]', async () => {
    const options = {
      customTools: [effectTool('append', 'mutation')],
      script: [call('append'), { text: 'done' }],
    };
    await withAgent(options, (agent) =>
      withApi(agent.client, async ({ ask }) => {
        const ids = [await agent.start(), await agent.start(), await agent.start()];
        const requests = await Promise.all(ids.map((runId) => agent.request(runId)));
        const inbox = (more: string) => ask('GET', `/approvals?agent=${agent.name}${more}`);
        await agent.redeploy({}, async () => {
          await vi.waitFor(async () => expect((await inbox('')).body.runs).toHaveLength(3), 30_000);
          const found: string[] = [];
          for (let page = ''; ;) {
            const { status, body, text } = await inbox(`&tool=append&risk=mutation&limit=2${page}`);
            expect([status, body.runs.length <= 2, text.includes(SECRET)]).toEqual([200, true, false]);
            for (const run of body.runs) found.push(run.requests[0].requestKey);
            if (body.nextPage === undefined) break;
            page = `&page=${body.nextPage}`;
          }
          expect(found.toSorted()).toEqual(requests.map(({ requestKey }) => requestKey).toSorted());
          expect((await inbox('&risk=destructive')).body).toEqual({ runs: [] });
          expect((await inbox('&tool=wipe')).body).toEqual({ runs: [] });
          const wrong = await inbox('&page=nonsense');
          expect([wrong.status, wrong.body.code]).toEqual([400, 'malformed_request']);
          const unknown = await inbox('&order=risk');
          expect([unknown.status, unknown.body.code]).toEqual([400, 'malformed_request']);
        });
        for (const runId of ids) await agent.client.cancel(runId);
      }),
    );
  });
});
