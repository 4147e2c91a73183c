import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import type { TestAgentOptions } from '../harness/agent.js';
import { openRequest, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>';
/** Turned around by an override, with a blank of no width and a Cyrillic letter in a Latin word. */
const HIDDEN = '\u202Egnp.exe\u200B p\u0430ypal';
const HOSTILE = `${MARKUP} ${HIDDEN}`;
const CODES = ['U+202E', 'U+200B', 'U+0430'];

async function expectText(page: Page, where: string): Promise<void> {
  const shown = await page.locator(where).innerText();
  for (const part of [MARKUP, ...CODES]) expect(shown).toContain(part);
  expect(shown).not.toMatch(/[\u200b\u202e]/);
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
}

describe('hostile text', () => {
  it('of a model, in arguments and in a path is shown as text on a request and its run [api:page] [hitl:preview]', async () => {
    const path = `\u202Egnp.p\u0430y`;
    const options: TestAgentOptions = {
      enableWriteTools: true,
      script: [
        { text: HOSTILE, calls: [{ tool: 'write', args: { path, content: HOSTILE } }] },
        { text: HOSTILE },
      ],
    };
    await withPage(browser(), options, async ({ agent, page, address, runId, shot }) => {
      await openRequest(page);
      await page.locator('pre.diff').waitFor(PATIENCE);
      for (const where of ['pre.diff', 'pre.json', 'blockquote']) await expectText(page, where);
      expect(await page.locator('dd').innerText()).toContain('U+202E');
      await shot('hostile-request');
      const request = await agent.request(runId);
      const said = { decision: 'deny', approver: HOSTILE, reason: HOSTILE } as const;
      await agent.client.decide(runId, decisionFor(request, said));
      await agent.client.result(runId);
      await page.goto(`${address}/#/runs/${runId}`);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor(PATIENCE);
      await expectText(page, '.timeline > li:first-child > p:not(.at)');
      await expectText(page, '.timeline ul ul li');
      await shot('hostile-run');
    });
  });

  it('in the name of a tool that does not exist, and in one who approved, is shown as text [api:page] [hitl:quorum]', async () => {
    const options: TestAgentOptions = {
      enableWriteTools: true,
      approvals: { quorum: { mutation: 2 } },
      script: [
        {
          calls: [
            { tool: 'write', args: { path: 'a', content: 'x' } },
            { tool: HOSTILE, args: {} },
          ],
        },
        { text: 'done' },
      ],
    };
    await withPage(browser(), options, async ({ agent, page, address, runId }) => {
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: HOSTILE }));
      await openRequest(page);
      await page.locator('.quorum').waitFor(PATIENCE);
      await expectText(page, '.quorum');
      await page.goto(`${address}/#/runs/${runId}`);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor(PATIENCE);
      await expectText(page, '.timeline code >> nth=1');
      await agent.client.cancel(runId);
    });
  });
});
