import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type TestApi } from '../api/harness.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
/** Kept for those who look at what people see; ignored by git. */
const SHOTS = join('coverage', 'page');
/** For what a real browser, server and worker do together. */
export const PATIENCE = { timeout: 30_000 };

/** A browser for the tests of a file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (CHROMIUM === undefined) throw new Error('Install Chromium: the page is tested in a real browser.');
    await mkdir(SHOTS, { recursive: true });
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(() => browser?.close());
  return () => {
    if (!browser) throw new Error('The browser is asked for before it was started.');
    return browser;
  };
}

export interface Seen {
  readonly agent: TestAgent;
  readonly api: TestApi;
  readonly page: Page;
  /** Where the page is, without a slash at its end. */
  readonly address: string;
  readonly runId: string;
  /** What the page did that it must not: errors, refused loads, dialogs. */
  readonly faults: string[];
  readonly shot: (name: string) => Promise<void>;
}

export interface Sight extends BrowserContextOptions {
  readonly prompt?: string;
  /** How long the API waits for a worker, milliseconds. */
  readonly answerMs?: number;
}

/** A run that asks, and an approver's browser, 360 pixels wide, at the inbox. */
export function withPage(
  browser: Browser,
  options: TestAgentOptions,
  body: (seen: Seen) => Promise<void>,
  { prompt, answerMs, ...look }: Sight = {},
): Promise<void> {
  return withAgent(options, async (agent) => {
    const sight = async (api: TestApi): Promise<void> => {
      const address = await api.api.listen({ host: '127.0.0.1', port: 0 });
      const runId = await agent.start(prompt);
      await agent.request(runId);
      const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...look });
      const page = await context.newPage();
      const faults = faultsOf(page);
      try {
        await page.goto(`${address}/`);
        await page.getByLabel('Token').fill(api.tokens.all);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Waiting for a decision' }).waitFor(PATIENCE);
        await page.goto(`${address}/#/?agent=${agent.name}`);
        await page.getByRole('link', { name: /call 1\.1/ }).waitFor(PATIENCE);
        const shot = async (name: string) =>
          void (await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true }));
        await body({ agent, api, page, address, runId, faults, shot });
        expect(faults).toEqual([]);
      } finally {
        await context.close();
      }
    };
    await withApi(agent.client, sight, answerMs === undefined ? {} : { answerMs });
  });
}

function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(dialog.message());
    void dialog.dismiss();
  });
  return faults;
}

/** A call that asks, of a tool that says in a file what it was given. */
export const asking = (line: string): TestAgentOptions => ({
  customTools: [effectTool('append', 'mutation')],
  script: [{ text: 'I add a line.', calls: [{ tool: 'append', args: { line } }] }, { text: 'done' }],
});

export const openRequest = (page: Page): Promise<void> =>
  page.getByRole('link', { name: /call 1\.1/ }).click();
