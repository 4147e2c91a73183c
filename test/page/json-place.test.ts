import { describe, expect, it } from 'vitest';
import { withBareApi } from '../api/harness.js';
import { useBrowser } from './harness.js';

const browser = useBrowser();

const TEXT = `{
  "a": {"b": [1, {"c/d": "x, ]}\\""}, null], "": true},
  "e~f": -1.5e3
}`;
const PLACES: readonly (readonly [pointer: string, found: string | undefined, line?: number])[] = [
  ['', TEXT, 1],
  ['/a/b/0', '1', 2],
  ['/a/b/1/c~1d', String.raw`"c/d": "x, ]}\""`, 2],
  ['/a/b/2', 'null', 2],
  ['/a/', '"": true', 2],
  ['/e~0f', '"e~f": -1.5e3', 3],
  ['/nowhere', undefined],
  ['/e~0f/0', undefined],
];

describe('the place of a fault in a text', () => {
  it('is that of the member or item which a JSON Pointer names [api:page]', async () => {
    await withBareApi(async ({ api }) => {
      const address = await api.listen({ host: '127.0.0.1', port: 0 });
      const page = await browser().newPage();
      await page.goto(`${address}/`);
      for (const [pointer, text, line] of PLACES) {
        const asked = `import('${address}/page/json-place.js').then(({ placeIn }) => placeIn(${JSON.stringify(TEXT)}, ${JSON.stringify(pointer)}))`;
        const place = await page.evaluate<{ from: number; to: number; line: number } | undefined>(asked);
        expect([pointer, place && TEXT.slice(place.from, place.to), place?.line]).toEqual([
          pointer,
          text,
          line,
        ]);
      }
      await page.close();
    });
  });
});
