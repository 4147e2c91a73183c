import { describe, expect, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { effectTool } from '../harness/tools.js';
import type { TestAgentOptions } from '../harness/agent.js';
import { openRequest, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();

const call = (line: string) => ({ calls: [{ tool: 'append', args: { line } }] });
const twice: TestAgentOptions = {
  customTools: [effectTool('append', 'mutation'), effectTool('wipe', 'dangerous')],
  budgets: { maxErrors: 7 },
  script: [
    call('one'),
    { calls: [{ tool: 'wipe', args: { line: 'two' } }] },
    call('three'),
    { text: 'done' },
  ],
};

describe('the view of a run', () => {
  it('lists its budgets and its grants by names that are read aloud, and revokes one by keyboard, dark and 360 pixels wide [api:page] [hitl:grants]', async () => {
    const look = { colorScheme: 'dark' } as const;
    await withPage(
      browser(),
      twice,
      async ({ agent, page, address, runId, shot }) => {
        await openRequest(page);
        await page.getByRole('button', { name: 'Approve for this run' }).focus();
        await page.keyboard.press('Enter');
        await page.getByText('Approved.').waitFor(PATIENCE);
        await page.goto(`${address}/#/runs/${runId}`);
        await page.getByRole('link', { name: 'wipe (call 2.1)' }).waitFor(PATIENCE);
        await expect.poll(() => page.getByRole('row', { name: 'maxErrors 7' }).count(), PATIENCE).toBe(1);
        expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
        await shot('run-grants-dark');
        const revoke = page.getByRole('button', { name: 'Revoke the grant of append' });
        await revoke.focus();
        await page.keyboard.press('Enter');
        await page.getByText('Revoked: the next call of this tool asks again.').waitFor(PATIENCE);
        await revoke.waitFor({ state: 'detached', ...PATIENCE });
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
        await page.getByRole('link', { name: 'append (call 3.1)' }).waitFor(PATIENCE);
        await agent.client.cancel(runId);
      },
      look,
    );
  });

  it('shows who approved, who completed the quorum, and how many are still needed [api:page] [hitl:quorum] [audit:timeline]', async () => {
    const options = {
      ...twice,
      approvals: { quorum: { mutation: 2 } },
      script: [call('one'), { text: 'done' }],
    };
    await withPage(browser(), options, async ({ agent, page, address, runId, shot }) => {
      await openRequest(page);
      await page.getByText('Needs 2 approvals, 2 more: nobody has approved yet.').waitFor(PATIENCE);
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.getByText('Your approval counts; 1 more needed.').waitFor(PATIENCE);
      await page.getByText('Needs 2 approvals, 1 more: approved by all.').waitFor(PATIENCE);
      await shot('quorum');
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'bob' }));
      await page.getByText('Nothing to decide here any more').waitFor(PATIENCE);
      await agent.client.result(runId);
      await page.goto(`${address}/#/runs/${runId}`);
      await page.getByText('approve by all, by update: counted (attested), 1 more needed').waitFor(PATIENCE);
      expect(await page.getByText('approve by bob, by update: counted (attested)').innerText()).not.toContain(
        'needed',
      );
      await shot('run-quorum');
    });
  });
});
