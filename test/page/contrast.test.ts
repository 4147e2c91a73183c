import { describe, expect, it } from 'vitest';
import { asking, openRequest, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();

/** WCAG 2.2, 1.4.3: at least 4.5 to 1. Gives the texts that have less. */
const FAINT = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (channels(color)[3] !== 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('body *')]
    .filter((element) => !element.disabled && element.checkVisibility())
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
    .map((element) => {
      const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
      return { text: element.textContent, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
    })
    .filter(({ ratio }) => ratio < 4.5);
})()`;

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('every text of inbox, request and run stands out from what is behind it, at 360 pixels without scrolling sideways [api:page]', async () => {
    const look = { colorScheme };
    await withPage(
      browser(),
      asking('\u202ep\u0430y'),
      async ({ agent, page, address, runId }) => {
        const isGood = async () => {
          expect(await page.evaluate(FAINT)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
        };
        await isGood();
        await openRequest(page);
        await page.locator('pre.json .alike').waitFor(PATIENCE);
        await page.getByText('Change the arguments').click();
        await isGood();
        await page.goto(`${address}/#/runs/${runId}`);
        await page.getByRole('heading', { name: 'Timeline' }).waitFor(PATIENCE);
        await isGood();
        await agent.client.cancel(runId);
      },
      look,
    );
  });
});
