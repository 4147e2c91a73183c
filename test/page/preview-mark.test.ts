import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { scheduled } from '../harness/history.js';
import type { TestAgentOptions } from '../harness/agent.js';
import { openRequest, PATIENCE, useBrowser, withPage, type Seen } from './harness.js';

const browser = useBrowser();

const writing: TestAgentOptions = {
  enableWriteTools: true,
  files: { 'notes.txt': 'old\n' },
  script: [{ calls: [{ tool: 'write', args: { path: 'notes.txt', content: 'new\n' } }] }, { text: 'done' }],
};

/** As when a person comes back to the tab. */
const comeBack = (page: Page) => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);

describe('the change that a request shows', () => {
  it('is marked on the page once the file is another, and then does not run when it is approved [api:page] [hitl:preview]', async () => {
    await withPage(browser(), writing, async ({ agent, page, runId, shot }) => {
      await openRequest(page);
      await page.getByText('Still so: the file has not changed since.').waitFor(PATIENCE);
      await shot('preview-same');
      await writeFile(join(agent.workspace, 'notes.txt'), 'precious\n');
      await comeBack(page);
      const mark = page.getByRole('status').filter({ hasText: 'the file has changed since' });
      await mark.waitFor(PATIENCE);
      expect(await mark.innerText()).toContain('nothing runs');
      expect(await page.locator('pre.diff').innerText()).toContain('-old');
      await shot('preview-changed');
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await agent.client.result(runId);
      expect(await readFile(join(agent.workspace, 'notes.txt'), 'utf8')).toBe('precious\n');
      const told = scheduled(await agent.history(runId), 'callModel').at(-1)?.input;
      expect(told).toMatchObject({ append: [{ status: 'error', code: 'precondition_changed' }] });
    });
  });

  it('is looked at again by itself while it is seen [api:page] [hitl:preview]', async () => {
    await withPage(browser(), writing, async ({ agent, page, runId }) => {
      await page.clock.install();
      await openRequest(page);
      await page.getByText('Still so: the file has not changed since.').waitFor(PATIENCE);
      await writeFile(join(agent.workspace, 'notes.txt'), 'precious\n');
      await page.clock.fastForward('00:30');
      await page.getByText('No longer so').waitFor(PATIENCE);
      expect(await page.getByText('Still so').count()).toBe(0);
      await agent.client.cancel(runId);
    });
  });

  it('is said to be not known where no worker is there to look [api:page] [hitl:preview]', async () => {
    const look = async ({ agent, page, runId, shot }: Seen) => {
      await openRequest(page);
      await page.getByText('Still so').waitFor(PATIENCE);
      await agent.redeploy({}, async () => {
        await comeBack(page);
        await page.getByText('Not known here whether the file has changed since.').waitFor(PATIENCE);
        expect(await page.getByText('Still so').count()).toBe(0);
        await shot('preview-unknown');
      });
      await vi.waitFor(async () => {
        await comeBack(page);
        await page.getByText('Still so').waitFor({ timeout: 4000 });
      }, PATIENCE);
      await agent.client.cancel(runId);
    };
    await withPage(browser(), writing, look, { answerMs: 3000 });
  });
});
