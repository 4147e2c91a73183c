import { describe, expect, it } from 'vitest';
import { asking, openRequest, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();

describe('a request that nobody decides', () => {
  it('is said to have been asked again, in the inbox and by itself [api:page] [hitl:escalate]', async () => {
    const approvals = { escalateAfterMs: 1, escalateTo: { approvers: ['carol'] } };
    await withPage(browser(), { ...asking('one'), approvals }, async ({ agent, page, runId, shot }) => {
      await page.getByText(/asked again \d{4}-.*: nobody had decided/).waitFor(PATIENCE);
      await shot('inbox-escalated');
      await openRequest(page);
      await page.getByText(/Asked again \d{4}-.*: nobody had decided/).waitFor(PATIENCE);
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).isEnabled()).toBe(true);
      await agent.client.cancel(runId);
    });
  });
});
