import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { revokeToken } from '../../src/api/issue-token.js';
import { decisionFor } from '../../src/client.js';
import { effectTool } from '../harness/tools.js';
import type { TestAgentOptions } from '../harness/agent.js';
import { asking, openRequest, PATIENCE, useBrowser, withPage, type Seen } from './harness.js';

const browser = useBrowser();
const CALLS = 40;

const busy: TestAgentOptions = {
  customTools: [effectTool('append', 'mutation'), effectTool('look', 'safe')],
  budgets: { maxRepeats: 0 },
  script: [
    { calls: [{ tool: 'append', args: { line: 'one' } }] },
    { calls: Array.from({ length: CALLS }, (_, line) => ({ tool: 'look', args: { line: String(line) } })) },
    { calls: [{ tool: 'append', args: { line: 'two' } }] },
    { text: 'done' },
  ],
};

/** Makes the browser take the page for seen or not, as it does when another tab is shown. */
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${String(hidden)}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'));`,
  );

describe('a view', () => {
  it('of a run that has done much is asked for a few times, not once for each event of its past [api:page]', async () => {
    await withPage(browser(), busy, async ({ agent, page, address, runId }) => {
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
      await page.getByRole('link', { name: /call 3\.1/ }).waitFor(PATIENCE);
      const asked: string[] = [];
      page.on('request', (each) => asked.push(new URL(each.url()).pathname));
      const stream = page.waitForResponse((answer) => answer.url().endsWith('/events'), PATIENCE);
      await page.goto(`${address}/#/runs/${runId}`);
      await stream;
      await page.getByRole('link', { name: 'append (call 3.1)' }).waitFor(PATIENCE);
      const last = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(last, { decision: 'approve', approver: 'ada' }));
      await page.getByText('It ended: completed').waitFor(PATIENCE);
      expect(asked.filter((path) => path === `/v1/runs/${runId}`).length).toBeLessThan(CALLS / 4);
    });
  });

  it('says that it may be old while the server is away, and mends itself [api:page]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId, shot }) => {
      await page.context().setOffline(true);
      await page.getByText('What stands here may be old').waitFor(PATIENCE);
      await shot('inbox-old');
      await page.context().setOffline(false);
      await page.locator('#stale:empty').waitFor({ state: 'attached', ...PATIENCE });
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await page.getByText('Nothing waits for a person.').waitFor(PATIENCE);
      expect(await page.locator('#stale').innerText()).toBe('');
    });
  });

  it('comes back to a run after a break and misses nothing of it [api:page]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, address, runId }) => {
      await page.goto(`${address}/#/runs/${runId}`);
      await page.getByRole('link', { name: 'append (call 1.1)' }).waitFor(PATIENCE);
      await setHidden(page, true);
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      expect(await page.getByText('It goes on.').count()).toBe(1);
      await setHidden(page, false);
      await page.getByText('It ended: completed').waitFor(PATIENCE);
      expect(await page.getByRole('link', { name: 'append (call 1.1)' }).count()).toBe(0);
    });
  });

  it('holds no stream while nobody sees it: a browser has few connections [api:page]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, address, runId }) => {
      const opened = page.waitForRequest((request) => request.url().endsWith('/events'), PATIENCE);
      await page.goto(`${address}/#/runs/${runId}`);
      await (await opened).response();
      const closed = page.waitForEvent('requestfailed', {
        predicate: (request) => request.url().endsWith('/events'),
        ...PATIENCE,
      });
      await setHidden(page, true);
      expect((await closed).failure()?.errorText).toBe('net::ERR_ABORTED');
      await agent.client.cancel(runId);
    });
  });

  it.each(['the inbox', 'a run', 'a request'])(
    'of %s asks for another token by itself once this one is taken back [api:page] [api:auth]',
    async (view) => {
      await withPage(browser(), asking('one'), async ({ agent, api, page, address, runId }) => {
        await page.goto(addressOf(view, { address, runId }, (await agent.request(runId)).requestKey));
        await page.getByText('append').first().waitFor(PATIENCE);
        await revokeToken(api.stateDir, 'all');
        const said = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(said, { decision: 'deny', approver: 'ada' }));
        await page.getByText('This token is not accepted.').waitFor(PATIENCE);
        expect(await page.getByText('append').count()).toBe(0);
      });
    },
  );

  it('has a title of its own, and tells nothing of the one before [api:page]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId }) => {
      expect(await page.title()).toBe('Inbox · Holdfast');
      await openRequest(page);
      await page.getByRole('heading', { name: /append asks to run/ }).waitFor(PATIENCE);
      expect(await page.title()).toBe(`append, call of ${runId} · Holdfast`);
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByText('Denied.').waitFor(PATIENCE);
      await page.goto(`${new URL(page.url()).origin}/#/runs/${runId}`);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor(PATIENCE);
      expect(await page.title()).toBe(`Run ${runId} · Holdfast`);
      expect(await page.getByText('Denied.').count()).toBe(0);
      await agent.client.result(runId);
    });
  });
});

function addressOf(view: string, { address, runId }: Pick<Seen, 'address' | 'runId'>, key: string): string {
  if (view === 'the inbox') return `${address}/#/`;
  const run = `${address}/#/runs/${runId}`;
  return view === 'a run' ? run : `${run}/approvals/${encodeURIComponent(key)}`;
}
