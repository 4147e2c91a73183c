import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const readme = readFileSync('README.md', 'utf8');
const prose = readme.replace(/\s+/g, ' ');
const config = readFileSync('src/config.ts', 'utf8');

describe('what README claims', () => {
  it.each([
    'canonicalisation, not an operating-system sandbox',
    'There is no limit on what a handler’s own code does',
    'process, file-system and network isolation',
    'Only declared path arguments are judged',
    'Decisions are not yet signed',
    'the name of an approver is a claim',
  ])('says what is not promised: %s [path:limits-said]', (words) => {
    expect(prose.replaceAll('**', '').replaceAll("'", '’')).toContain(words);
  });

  it('names tests and files that exist', () => {
    const named = [...readme.matchAll(/`((?:test|examples)\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('lists every variable that the configuration names', () => {
    const variables = [...config.matchAll(/^(?:export )?const \w+ = '([A-Z_]+)';/gm)].map(
      ([, name = '']) => name,
    );
    expect(variables.length).toBeGreaterThan(5);
    expect(variables.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});
