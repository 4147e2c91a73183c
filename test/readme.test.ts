import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/cli/exit-codes.js';
import { ERROR_CODES } from '../src/contract/error-codes.js';
import { LIMITS } from '../src/contract/limits.js';
import { RISK_LEVELS } from '../src/contract/tool.js';
import { isFree, isGrantable } from '../src/policy/risk.js';

const README = 'README.md';
type Rows = readonly (readonly string[])[];

/** README's tables that repeat the code, each between `<!-- name -->` and `<!-- /name -->`. */
const TABLES: Readonly<Record<string, Rows>> = {
  codes: [
    ['Where', 'Code', 'Meaning'],
    ...Object.entries(ERROR_CODES).map(([code, { door, meaning }]) => [door, `\`${code}\``, meaning]),
  ],
  exits: [
    ['Exit code', 'Meaning'],
    ...Object.values(EXIT_CODES).map(({ number, meaning }) => [String(number), meaning]),
  ],
  levels: [
    ['Risk level', 'Asks a person', 'A grant for the run'],
    ...RISK_LEVELS.map((level) => [
      `\`${level}\``,
      isFree(level) ? 'never' : isGrantable(level) ? 'unless a grant covers the tool' : 'every time',
      isFree(level) ? 'is not needed' : isGrantable(level) ? 'is kept' : 'is refused',
    ]),
  ],
  limits: [
    ['Limit', 'Value', 'Meaning'],
    ...Object.entries(LIMITS).map(([name, value]) => [
      `\`${name}\``,
      value.toLocaleString('en-US'),
      meaningOf(name, readFileSync('src/contract/limits.ts', 'utf8')),
    ]),
  ],
};

function meaningOf(name: string, source: string): string {
  const [, meaning] = new RegExp(`/\\*\\* (.+) \\*/\\n\\s+${name}: `).exec(source) ?? [];
  if (meaning === undefined) throw new Error(`limits.ts says nothing of ${name}.`);
  return meaning;
}

/** The text with the rows as its table of this name, formatted as the repository is. */
async function withTable(text: string, name: string, [head = [], ...rows]: Rows): Promise<string> {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const parts = text.split(new RegExp(`${open}[^]*${close}`));
  if (parts.length !== 2) throw new Error(`README has no ${open} with ${close} after it.`);
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const filled = parts.join(`${open}\n\n${table}\n\n${close}`);
  return format(filled, { ...(await resolveConfig(README)), parser: 'markdown' });
}

describe('README', () => {
  const readme = readFileSync(README, 'utf8');

  // `npx vitest run --config test/vitest.config.ts test/readme.test.ts -u` writes the right tables.
  it('has the tables of codes, exits, limits and risk levels as the code has them', async () => {
    let right = readme;
    for (const [name, rows] of Object.entries(TABLES)) right = await withTable(right, name, rows);
    await expect(right).toMatchFileSnapshot(`../${README}`);
  });

  it('gives the command that CI runs', () => {
    const command = /^npm ci && npm test$/m;
    expect(readme).toMatch(command);
    expect(readFileSync('.ci/run', 'utf8')).toMatch(command);
  });

  it.each([
    ['with a row too few', '| a |\n| - |\n| 1 |\n'],
    ['with a row too many', '| a |\n| - |\n| 1 |\n| 2 |\n| 3 |\n'],
    ['with another word', '| a |\n| - |\n| 1 |\n| 3 |\n'],
    ['without rows', ''],
  ])('is found out %s', async (_how, table) => {
    const text = `<!-- t -->\n\n${table}\n<!-- /t -->\n`;
    expect(await withTable(text, 't', [['a'], ['1'], ['2']])).not.toBe(text);
  });

  it('is found out without the place for a table', async () => {
    await expect(withTable('', 't', [['a']])).rejects.toThrow('README has no <!-- t -->');
  });
});
