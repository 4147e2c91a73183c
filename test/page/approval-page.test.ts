import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markers, scheduled } from '../harness/history.js';
import { withApi } from '../api/harness.js';
import { decisionFor } from '../../src/client.js';
import { asking, openRequest, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();

describe('the approval page', () => {
  it('shows the inbox and a request at 360 pixels, and approves by keyboard what was shown [api:page] [hitl:signed]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId, shot }) => {
      await shot('inbox');
      await page.getByRole('link', { name: /call 1\.1/ }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /append asks to run/ }).waitFor(PATIENCE);
      expect(await page.getByText('I add a line.').isVisible()).toBe(true);
      expect(await page.locator('pre.json').innerText()).toContain('"line": "one"');
      expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
      await shot('request');
      await page.getByRole('button', { name: 'Approve', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Approved.').waitFor(PATIENCE);
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(markers(events, 'validateApproval')).toMatchObject([
        { result: { accepted: true, decision: { approver: 'all' }, signature: { kind: 'attested' } } },
      ]);
      expect(scheduled(events, 'executeTool')).toHaveLength(1);
      await page.goto(`${new URL(page.url()).origin}/#/runs/${runId}`);
      await page.getByText('by decision').waitFor(PATIENCE);
      await shot('run');
    });
  });

  it('keeps what was typed when an edit is refused, says where the fault is, and runs what is mended [api:page] [hitl:revalidated]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId, shot }) => {
      await openRequest(page);
      await page.getByText('Change the arguments').click();
      const editor = page.getByLabel('Arguments as JSON');
      await editor.fill('{"line": 7}');
      await page.getByRole('button', { name: 'Run with these arguments' }).click();
      await page.locator('#args-fault').filter({ hasText: 'line' }).waitFor(PATIENCE);
      expect(await editor.getAttribute('aria-invalid')).toBe('true');
      expect(await editor.inputValue()).toBe('{"line": 7}');
      await shot('edit-refused');
      await editor.fill('{"line": "two"}');
      await page.getByRole('button', { name: 'Run with these arguments' }).click();
      await page.getByText('Approved.').waitFor(PATIENCE);
      await agent.client.result(runId);
      expect(await readFile(join(agent.workspace, 'effects.txt'), 'utf8')).toBe('two\n');
    });
  });

  it('says plainly that somebody else decided first [api:page] [hitl:stale]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId }) => {
      await openRequest(page);
      await page.getByRole('heading', { name: /append asks to run/ }).waitFor(PATIENCE);
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'bob' }));
      await page.getByText('Nothing to decide here any more').waitFor(PATIENCE);
      expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      await agent.client.result(runId);
    });
  });

  it('shows hostile arguments as text, with what is not seen by its code, and runs no script of them [api:page] [H18]', async () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script> \u202Egnp.exe \u200B p\u0430ypal';
    await withPage(browser(), asking(hostile), async ({ agent, page, runId, faults, shot }) => {
      await openRequest(page);
      await page.locator('pre.json').waitFor(PATIENCE);
      const shown = await page.locator('pre.json').innerText();
      for (const part of ['<img src=x onerror=alert(1)>', 'U+202E', 'U+200B', 'U+0430']) {
        expect(shown).toContain(part);
      }
      expect(await page.locator('main img, main script').count()).toBe(0);
      await shot('hostile');
      expect(faults).toEqual([]);
      await agent.client.cancel(runId);
    });
  });

  it('shows the change of a write as a diff, a reason for the model, and dark as well as light [api:page] [hitl:preview] [hitl:deny]', async () => {
    const script = [
      { calls: [{ tool: 'write', args: { path: 'notes.txt', content: 'new\n' } }] },
      { text: 'done' },
    ];
    await withPage(
      browser(),
      { enableWriteTools: true, files: { 'notes.txt': 'old\n' }, script },
      async ({ agent, page, runId, shot }) => {
        await page.emulateMedia({ colorScheme: 'dark' });
        await openRequest(page);
        await page.locator('pre.diff').waitFor(PATIENCE);
        expect(await page.locator('pre.diff .added').last().innerText()).toContain('+new');
        expect(await page.locator('dd').innerText()).toBe('notes.txt');
        await shot('diff-dark');
        await page.getByLabel('Why not').fill('use the copy');
        await page.getByRole('button', { name: 'Deny' }).click();
        await page.getByText('Denied.').waitFor(PATIENCE);
        await agent.client.result(runId);
        expect(JSON.stringify(agent.model.requests[1]?.messages.at(-1))).toContain('use the copy');
      },
    );
  });

  it('takes no token that is none, and is served under a policy without inline script and frames [api:page] [api:auth]', async () => {
    await withApi(undefined as never, async ({ api }) => {
      const address = await api.listen({ host: '127.0.0.1', port: 0 });
      const answer = await fetch(`${address}/`);
      const policy = answer.headers.get('content-security-policy');
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(await answer.text()).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=|https?:\/\//);
      const page = await browser().newPage();
      await page.goto(`${address}/`);
      await page.getByLabel('Token').fill('nonsense');
      await page.keyboard.press('Enter');
      await page.getByText('This token is not accepted.').waitFor(PATIENCE);
      await page.close();
    });
  });
});
