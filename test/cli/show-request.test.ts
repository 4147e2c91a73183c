import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { changePreview } from '../../src/cli/dev/change-preview.js';
import { requestLines } from '../../src/cli/dev/show-request.js';
import { printable, printableLine } from '../../src/cli/printable.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import type { JsonObject } from '../../src/contract/json.js';

const path = { argument: 'path', relative: 'a.txt' };
const edits = (...pairs: readonly [oldText: string, newText: string][]) =>
  pairs.map(([oldText, newText]) => ({ oldText, newText }));

describe('the change that is shown', () => {
  it.each<[what: string, tool: string, args: JsonObject, changed: readonly string[]]>([
    ['of a write', 'write', { content: 'one\n2\nthree\n' }, ['-two', '+2']],
    ['of an edit', 'edit', { edits: edits(['two', '2']) }, ['-two', '+2']],
    ['of two edits', 'edit', { edits: edits(['one', '1'], ['two', '2']) }, ['-one', '-two', '+1', '+2']],
    ['of an edit with $&, as it is', 'edit', { edits: edits(['two', '$&']) }, ['-two', '+$&']],
  ])('is a unified diff %s', async (_what, tool, args, changed) => {
    const diff = await changePreview({ tool, paths: [path] }, args, async () => ({
      text: 'one\ntwo\nthree\n',
    }));
    const lines = diff?.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
    expect(lines).toEqual(changed);
  });

  it('says that a file is new', async () => {
    const args = { content: 'x\n' };
    const diff = await changePreview({ tool: 'write', paths: [path] }, args, async () => 'absent');
    expect(diff).toContain('--- new file\n+++ a.txt\n');
  });

  it.each<[what: string, tool: string, args: JsonObject, file: { text: string } | 'absent' | 'unreadable']>([
    ['another tool', 'move', { content: 'x' }, { text: 'a' }],
    ['a file that is no text', 'write', { content: 'x' }, 'unreadable'],
    ['an edit of no file', 'edit', { edits: edits(['a', 'b']) }, 'absent'],
    ['an edit that fits nowhere', 'edit', { edits: edits(['z', 'b']) }, { text: 'a' }],
    ['an edit that fits twice', 'edit', { edits: edits(['a', 'b']) }, { text: 'a a' }],
    ['no content', 'write', {}, { text: 'a' }],
    ['edits of a wrong shape', 'edit', { edits: [null, 1] }, { text: 'a' }],
  ])('is left out for %s, rather than wrong', async (_what, tool, args, file) => {
    expect(await changePreview({ tool, paths: [path] }, args, async () => file)).toBeUndefined();
  });
});

describe('a request that is shown', () => {
  const request: ApprovalRequest = {
    requestKey: 'run-1:0:0:nonce',
    call: { turn: 0, index: 0 },
    tool: 'write',
    label: 'Write \u202e a file',
    riskLevel: 'mutation',
    args: {},
    argsDigest: '',
    schemaDigest: '',
    paths: [{ argument: 'path', relative: 'a\u001b[2J.txt' }],
    modelText: 'fine\u001b]0;title\u0007\r\nApproved by root',
    requestedAt: 0,
    expiresAt: 1,
    grantable: true,
  };

  it('cannot steer the terminal or hide what it holds', () => {
    const diff = '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\u200b\u001b[1A\n';
    const text = requestLines(request, { content: 'a\u009b2K\u2066' }, diff, pc.createColors(false)).join(
      '\n',
    );
    expect(text).not.toMatch(/[^\n\P{C}]/u);
    for (const code of ['1b', '202e', '200b', '9b', '2066', '7']) expect(text).toContain(`\\u{${code}}`);
  });

  it('is painted on a terminal only', () => {
    const lines = (on: boolean) => requestLines(request, {}, '+added\n-gone', pc.createColors(on)).join('\n');
    expect(lines(true)).toContain('\u001b[32m+added');
    expect(lines(false)).not.toContain('\u001b');
  });
});

describe('untrusted text', () => {
  it.each([
    ['plain text, tabs\tand\nlines', 'plain text, tabs\tand\nlines'],
    ['héllo 日本 👍🏽', 'héllo 日本 👍🏽'],
    ['\u0000\r\u007f', '\\u{0}\\u{d}\\u{7f}'],
    ['\ud800', '\\u{d800}'],
    ['a\u2028b', 'a\\u{2028}b'],
  ])('stands as it is or as codes: %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('is cut between characters on one line', () => {
    expect(printableLine(' a\n  b ', 10)).toBe('a b');
    expect(printableLine('👍🏽👍🏽👍🏽', 2)).toBe('👍🏽…');
  });
});
