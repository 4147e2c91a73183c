import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { asking, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();
const MOST_STOPS = 40;

/** Goes on with the Tab key to what is focused under this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `(() => { const at = document.activeElement; return at.labels?.[0]?.textContent ?? at.textContent; })()`;
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press('Tab');
    if (String(await page.evaluate(focused)).startsWith(name)) return;
  }
  throw new Error(`The Tab key never comes to: ${name}`);
}

describe('a person without a mouse', () => {
  it('opens a request, changes its arguments and has them run, by names that are read aloud [api:page] [hitl:revalidated]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId }) => {
      await tabTo(page, 'append (call 1.1)');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'append asks to run' }).waitFor(PATIENCE);
      const read = await page.locator('body').ariaSnapshot();
      for (const name of [
        'navigation "Main"',
        'button "Approve"',
        'button "Approve for this run"',
        'textbox "Why not, for the model to read"',
        'button "Deny"',
      ]) {
        expect(read).toContain(name);
      }
      await tabTo(page, 'Change the arguments');
      await page.keyboard.press('Enter');
      await tabTo(page, 'Arguments as JSON');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('{"line": "typed"}');
      await tabTo(page, 'Run with these arguments');
      await page.keyboard.press('Enter');
      await page.getByText('Approved.').waitFor(PATIENCE);
      await agent.client.result(runId);
      expect(await readFile(join(agent.workspace, 'effects.txt'), 'utf8')).toBe('typed\n');
    });
  });
});
