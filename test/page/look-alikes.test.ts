import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { asking, openRequest, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();

/** What is marked, as its code. */
const marked = (page: Page, where: string) => page.locator(`${where} .alike small`).allInnerTexts();

describe('what looks like something else', () => {
  it('is marked in arguments: signs that look like separators, letters in other forms, words of another script [api:page] [H18]', async () => {
    const line =
      'a\u2215b\uff0f\u2024\u2024 \uff41dmin \u0456\u043e \u0440\u0430\u0443\u0440\u0430l 5\u22123 \u0261it';
    await withPage(browser(), asking(line), async ({ agent, page, runId, shot }) => {
      await openRequest(page);
      await page.locator('pre.json').waitFor(PATIENCE);
      const words = ['U+2215', 'U+FF0F', 'U+2024', 'U+2024', 'U+FF41', 'U+0456', 'U+043E'];
      const mixed = ['U+0440', 'U+0430', 'U+0443', 'U+0440', 'U+0430'];
      expect(await marked(page, 'pre.json')).toEqual([...words, ...mixed, 'U+2212', 'U+0261']);
      await shot('look-alikes');
      await agent.client.cancel(runId);
    });
  });

  it('leaves text alone that is what it looks like: accents, a Russian or Greek sentence, the dashes of prose [api:page]', async () => {
    const line =
      'caf\u00e9 \u042f \u0438 \u0441 \u043d\u0438\u043c, \u03ba\u03b1\u03bb\u03b7\u03bc\u03ad\u03c1\u03b1 \u4f60\u597d';
    const script = [
      { text: `It\u2019s 3\u20134 lines \u2026 \u2122`, calls: [{ tool: 'append', args: { line } }] },
      { text: 'done' },
    ];
    await withPage(browser(), { ...asking('one'), script }, async ({ agent, page, runId }) => {
      await openRequest(page);
      await page.locator('pre.json').waitFor(PATIENCE);
      expect(await page.locator('pre.json').innerText()).toContain(line);
      expect(await marked(page, 'main')).toEqual([]);
      await agent.client.cancel(runId);
    });
  });
});
