import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { asking, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();

describe('a page of another origin', () => {
  it('can neither decide with the token of a signed-in tab nor show the page in a frame [api:page] [api:auth]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, address, runId }) => {
      const { requestKey } = await agent.request(runId);
      const target = `${address}/v1/runs/${runId}/approvals/${encodeURIComponent(requestKey)}/decision`;
      const answers: number[] = [];
      const foreign = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(
          `<form method=post enctype=text/plain target=answer action="${target}"><input name='{"decision":"approve","x":"' value='"}'></form>` +
            `<iframe name=answer></iframe><iframe name=framed src="${address}/"></iframe><script>document.forms[0].submit()</script>`,
        );
      });
      foreign.listen(0, '127.0.0.1');
      await once(foreign, 'listening');
      try {
        const other = await page.context().newPage();
        other.on('response', (response) => {
          if (response.url() === target) answers.push(response.status());
        });
        const refused = other.waitForEvent('console', {
          predicate: (message) => message.text().includes('frame-ancestors'),
          ...PATIENCE,
        });
        await other.goto(`http://127.0.0.1:${String((foreign.address() as AddressInfo).port)}/`);
        await refused;
        await expect.poll(() => answers, PATIENCE).toEqual([401]);
        const fetched = await other.evaluate(
          `fetch(${JSON.stringify(target)}, { method: 'POST', headers: { authorization: 'Bearer x', 'content-type': 'application/json' }, body: '{}' }).then(() => 'sent', () => 'stopped')`,
        );
        expect(fetched).toBe('stopped');
        expect(await agent.client.pending(runId)).toHaveLength(1);
        await agent.client.cancel(runId);
      } finally {
        foreign.close();
      }
    });
  });

  it('or whoever finds a way to write into this one runs no script there [api:page]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId, faults }) => {
      // The elements are made past Trusted Types, as a defect of the page might.
      await page.evaluate(
        `(() => { const script = document.createElement('script'); script.append('window.broken = true'); document.body.append(script); })()`,
      );
      await page.evaluate(
        `(() => { try { document.body.innerHTML = '<img src=x onerror="window.broken = true">'; } catch { window.stopped = true; } })()`,
      );
      expect(await page.evaluate('[window.broken, window.stopped]')).toEqual([undefined, true]);
      expect(faults.length).toBeGreaterThan(0);
      faults.length = 0;
      await agent.client.cancel(runId);
    });
  });
});
