import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Budgets } from '../src/contract/manifest.js';
import { ScriptedModel } from '../src/models/scripted-model.js';
import { DEFAULT_BUDGETS } from '../src/policy/budget.js';
import { defineAgent } from '../src/registry/define-agent.js';

const readme = readFileSync('README.md', 'utf8');
const prose = readme.replace(/\s+/g, ' ');
const config = readFileSync('src/config.ts', 'utf8');

function thrown(body: () => unknown): Error {
  try {
    body();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('Nothing was thrown.');
}

describe('what README claims', () => {
  it.each([
    'canonicalisation, not an operating-system sandbox',
    'There is no limit on what a handler’s own code does',
    'process, file-system and network isolation',
    'Only declared path arguments are judged',
    'a signature proves the key',
  ])('says what is not promised: %s [path:limits-said]', (words) => {
    expect(prose.replaceAll('**', '').replaceAll("'", '’')).toContain(words);
  });

  it('names tests and files that exist', () => {
    const named = [...readme.matchAll(/`((?:test|examples)\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('names every budget that an agent may have', () => {
    const agent = { name: 'a', instructions: '', workspace: '.', model: new ScriptedModel([]) };
    const budgets = { none: 1 } as Partial<Budgets>;
    const { message } = thrown(() => defineAgent({ ...agent, budgets }));
    const names = /; there are (.+)\.$/.exec(message)?.[1]?.split(', ') ?? [];
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  it('gives the defaults of budgets as they are', () => {
    const { maxErrors, maxConsecutiveErrors, maxConsecutiveDenials, maxTurns, maxRepeats } = DEFAULT_BUDGETS;
    expect(prose).toContain(
      `\`maxErrors\` (default ${maxErrors}), \`maxConsecutiveErrors\` (${maxConsecutiveErrors}), ` +
        `\`maxConsecutiveDenials\` (${maxConsecutiveDenials}), \`maxTurns\` (${maxTurns}), ` +
        `\`maxRepeats\` (${maxRepeats})`,
    );
  });

  it('lists every variable that the configuration names', () => {
    const variables = [...config.matchAll(/^(?:export )?const \w+ = '([A-Z_]+)';/gm)].map(
      ([, name = '']) => name,
    );
    expect(variables.length).toBeGreaterThan(5);
    expect(variables.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});
