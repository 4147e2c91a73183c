import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { matchToken, type KeptToken } from '../../src/api/match-token.js';
import { newToken, tokenHash } from '../../src/api/token-record.js';
import { sourcePaths } from '../source-module.js';

const tokens = Array.from({ length: 5 }, newToken);
const kept: readonly KeptToken[] = tokens.map((token, at) => {
  const bytes = tokenHash(token);
  return { name: `t${at}`, roles: ['auditor'], hash: bytes.toString('hex'), createdAt: '', bytes };
});

/** Which kept hashes were compared, in which order, and the lengths of both sides. */
function compared(token: string) {
  const seen: (readonly [at: number, ...lengths: number[]])[] = [];
  const found = matchToken(token, kept, (left, right) => {
    seen.push([kept.findIndex(({ bytes }) => bytes === left), left.byteLength, right.byteLength]);
    return timingSafeEqual(left, right);
  });
  return { found: found?.name, seen };
}

describe('a token that is looked for', () => {
  const all = kept.map((_, at) => [at, 32, 32]);

  it.each<[string, string, string | undefined]>([
    ['is the first', tokens[0] ?? '', 't0'],
    ['is the last', tokens[4] ?? '', 't4'],
    ['is none', newToken(), undefined],
    ['shares all but one character', `${tokens[2]?.slice(0, -1)}!`, undefined],
    ['is of another length', 'A', undefined],
  ])('is compared with every one, as hashes of one length, when it %s [api:auth]', (_, token, name) => {
    expect(compared(token)).toEqual({ found: name, seen: all });
  });

  it('is compared in one place, in constant time, and in no other way [api:auth]', () => {
    const sources = sourcePaths(['src'])
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [path, readFileSync(path, 'utf8')] as const);
    const having = (pattern: RegExp) =>
      sources.filter(([, text]) => pattern.test(text)).map(([path]) => path);
    expect(having(/timingSafeEqual/)).toEqual(['src/api/match-token.ts']);
    expect(having(/\bmatchToken\(/)).toEqual(['src/api/match-token.ts', 'src/api/token-authority.ts']);
    // Whoever hashes a token does so to keep it or to match it.
    expect(having(/\btokenHash\(/)).toEqual([
      'src/api/issue-token.ts',
      'src/api/match-token.ts',
      'src/api/token-record.ts',
    ]);
  });
});
