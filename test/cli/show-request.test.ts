import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { requestLines } from '../../src/cli/dev/show-request.js';
import { printable, printableLine } from '../../src/cli/printable.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';

describe('a request that is shown', () => {
  const request: ApprovalRequest = {
    requestKey: 'run-1:0:0:nonce',
    runId: 'run',
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

  it.each([
    [{ kind: 'diff', text: '--- a\n+++ a\n', basis: 'x' }, 'change'],
    [{ kind: 'text', text: 'Moves it.\u0007', basis: 'x' }, 'preview'],
    [{ kind: 'failed', text: 'It failed.\u0007' }, 'no preview'],
  ] as const)('says what kind of preview it has: %j [hitl:preview]', (preview, title) => {
    const lines = requestLines({ ...request, preview }, pc.createColors(false));
    expect(lines).toContain(`  ${title}`);
    expect(lines.join('')).not.toContain('\u0007');
  });

  it('cannot steer the terminal or hide what it holds', () => {
    const diff = '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\u200b\u001b[1A\n';
    const hostile: ApprovalRequest = {
      ...request,
      args: { content: 'a\u009b2K\u2066' },
      preview: { kind: 'diff', text: diff, basis: 'x' },
    };
    const text = requestLines(hostile, pc.createColors(false)).join('\n');
    expect(text).not.toMatch(/[^\n\P{C}]/u);
    for (const code of ['1b', '202e', '200b', '9b', '2066', '7']) expect(text).toContain(`\\u{${code}}`);
  });

  it('is painted on a terminal only', () => {
    const preview = { kind: 'diff', text: '+added\n-gone', basis: 'x' } as const;
    const lines = (on: boolean) => requestLines({ ...request, preview }, pc.createColors(on)).join('\n');
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
    ['a\u3164\u115f\u034fb\ufe01\u{e0101}', 'a\\u{3164}\\u{115f}\\u{34f}b\\u{fe01}\\u{e0101}'],
  ])('stands as it is or as codes: %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('is cut between characters on one line', () => {
    expect(printableLine(' a\n  b ', 10)).toBe('a b');
    expect(printableLine('👍🏽👍🏽👍🏽', 2)).toBe('👍🏽…');
  });
});
