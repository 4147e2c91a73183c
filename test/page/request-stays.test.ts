import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markers, scheduled } from '../harness/history.js';
import { decisionFor } from '../../src/client.js';
import { asking, openRequest, PATIENCE, useBrowser, withPage } from './harness.js';

const browser = useBrowser();
const two = { ...asking('one'), approvals: { quorum: { mutation: 2 } } };

describe('a request that somebody is reading', () => {
  it('keeps what was typed when another approves, and tells who did [api:page] [hitl:quorum]', async () => {
    await withPage(browser(), two, async ({ agent, page, runId }) => {
      await openRequest(page);
      const reason = page.getByLabel('Why not');
      await reason.fill('use the copy');
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'bob' }));
      await page.getByText('Needs 2 approvals, 1 more: approved by bob.').waitFor(PATIENCE);
      expect(await reason.inputValue()).toBe('use the copy');
      expect(await reason.evaluate('document.activeElement.id')).toBe('reason');
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByText('Denied.').waitFor(PATIENCE);
      await agent.client.result(runId);
      expect(JSON.stringify(agent.model.requests[1]?.messages.at(-1))).toContain('use the copy');
    });
  });

  it('goes on showing what was read when another changes its arguments, takes no decision, and shows on demand what would run now [api:page] [hitl:quorum] [hitl:signed]', async () => {
    await withPage(browser(), two, async ({ agent, page, runId, shot }) => {
      await openRequest(page);
      await page.getByLabel('Why not').fill('use the copy');
      const request = await agent.request(runId);
      const edit = { decision: 'edit', args: { line: 'two' }, approver: 'bob' } as const;
      await agent.client.decide(runId, decisionFor(request, edit));
      const word = page.getByRole('alert').filter({ hasText: 'no longer what would run' });
      await word.waitFor(PATIENCE);
      expect(await page.locator('pre.json').innerText()).toContain('"one"');
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
      await shot('changed-by-another');
      await page.getByRole('button', { name: 'Show what would run now' }).click();
      await page.getByText('A person has changed the arguments').waitFor(PATIENCE);
      expect(await page.locator('pre.json').innerText()).toContain('"two"');
      expect(await page.getByLabel('Why not').inputValue()).toBe('use the copy');
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.getByText('Approved.').waitFor(PATIENCE);
      await agent.client.result(runId);
      expect(scheduled(await agent.history(runId), 'executeTool')).toHaveLength(1);
      expect(await readFile(join(agent.workspace, 'effects.txt'), 'utf8')).toBe('two\n');
    });
  });

  it('shows an edit of its own, which needs more approvals, at once [api:page] [hitl:quorum] [hitl:revalidated]', async () => {
    await withPage(browser(), two, async ({ agent, page, runId }) => {
      await openRequest(page);
      await page.getByText('Change the arguments').click();
      await page.getByLabel('Arguments as JSON').fill('{"line": "mine"}');
      await page.getByRole('button', { name: 'Run with these arguments' }).click();
      await page.getByText('Your approval counts; 1 more needed.').waitFor(PATIENCE);
      await page.getByText('Needs 2 approvals, 1 more: approved by all.').waitFor(PATIENCE);
      expect(await page.locator('pre.json').innerText()).toContain('"mine"');
      expect(await page.getByText('no longer what would run').count()).toBe(0);
      await agent.client.cancel(runId);
    });
  });

  it('gives back what was typed when there is nothing to decide any more [api:page] [hitl:stale]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId }) => {
      await openRequest(page);
      await page.getByLabel('Why not').fill('use the copy');
      await page.getByText('Change the arguments').click();
      await page.getByLabel('Arguments as JSON').fill('{"line": "half\u200b');
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'bob' }));
      await page.getByText('Nothing to decide here any more').waitFor(PATIENCE);
      expect(await page.getByRole('region', { name: 'The reason' }).innerText()).toBe('use the copy');
      expect(await page.getByRole('region', { name: 'The arguments' }).innerText()).toBe(
        '{"line": "halfU+200B',
      );
      await agent.client.result(runId);
    });
  });
});

describe('an edit on the page', () => {
  it('is sent as it was typed, so that a member given twice is refused and nothing is left out unseen [api:page] [schema:strict-json]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId }) => {
      await openRequest(page);
      await page.getByText('Change the arguments').click();
      const editor = page.getByLabel('Arguments as JSON');
      for (const [text, word] of [
        ['{"line": "a", "line": "b"}', 'line'],
        ['{"line": "a", "n": 1e400}', 'a number too large'],
      ] as const) {
        await editor.fill(text);
        await page.getByRole('button', { name: 'Run with these arguments' }).click();
        await page.locator('#args-fault').filter({ hasText: word }).waitFor(PATIENCE);
        expect(await editor.inputValue()).toBe(text);
      }
      expect(markers(await agent.history(runId), 'validateApproval')).toEqual([]);
      await agent.client.cancel(runId);
    });
  });

  it('begins with what is not seen as escapes, and says in which place the text is no JSON [api:page] [H18]', async () => {
    await withPage(browser(), asking('a\u202eb\u{e0041}c'), async ({ agent, page, runId }) => {
      await openRequest(page);
      await page.getByText('Change the arguments').click();
      const editor = page.getByLabel('Arguments as JSON');
      expect(await editor.inputValue()).toBe('{\n  "line": "a\\u202eb\\udb40\\udc41c"\n}');
      await editor.fill('{\n  "line": "a",\n}');
      await page.getByRole('button', { name: 'Run with these arguments' }).click();
      await page.locator('#args-fault').filter({ hasText: 'This is not JSON' }).waitFor(PATIENCE);
      expect(await editor.evaluate('document.activeElement.selectionStart')).toBe(17);
      await agent.client.cancel(runId);
    });
  });

  it('that tool or guard refuse is shown at the place of the fault [api:page] [hitl:revalidated]', async () => {
    await withPage(browser(), asking('one'), async ({ agent, page, runId, shot }) => {
      await openRequest(page);
      await page.getByText('Change the arguments').click();
      const editor = page.getByLabel('Arguments as JSON');
      const selected = `(() => { const at = document.activeElement; return at.value.slice(at.selectionStart, at.selectionEnd); })()`;
      for (const [text, line, place] of [
        ['{\n  "line": 7\n}', 'Line 2: ', '"line": 7'],
        ['{\n  "line": "a",\n  "x/~y": [1]\n}', 'Line 3: ', '"x/~y": [1]'],
        ['{}', 'Line 1: ', '{}'],
      ] as const) {
        await editor.fill(text);
        await page.getByRole('button', { name: 'Run with these arguments' }).click();
        await page.locator('#args-fault').filter({ hasText: line }).waitFor(PATIENCE);
        expect(await page.evaluate(selected)).toBe(place);
      }
      await shot('edit-refused-at');
      expect(await agent.client.pending(runId)).toHaveLength(1);
      await agent.client.cancel(runId);
    });
  });
});
