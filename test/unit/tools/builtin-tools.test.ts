import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../../src/registry/tool-registry.js';
import { readTools, writeTools } from '../../../src/tools/builtin-tools.js';

describe('the built-in tools', () => {
  const warnings: string[] = [];
  const offered = [...readTools, ...writeTools].map((tool) => ({ tool, source: 'builtin' as const }));
  const registry = ToolRegistry.create(offered, (line) => warnings.push(line));

  it('register without a doubt, each with its path declared [tool:path-args]', () => {
    expect(warnings).toEqual([]);
    expect(registry.all.map(({ manifest }) => manifest.pathArgs)).toEqual([
      ['path'],
      ['path'],
      ['path'],
      ['path'],
      ['path'],
      ['path'],
    ]);
  });

  it.each([
    ['read', 'read_only'],
    ['grep', 'read_only'],
    ['find', 'read_only'],
    ['ls', 'read_only'],
    ['edit', 'mutation'],
    ['write', 'mutation'],
  ])('hold %s as %s [tool:risk-levels]', (name, riskLevel) => {
    expect(registry.get(name)?.manifest.riskLevel).toBe(riskLevel);
  });

  it('keep the writing ones apart from the reading ones [surface:default]', () => {
    expect(readTools.map(({ def }) => def.name)).toEqual(['read', 'grep', 'find', 'ls']);
    expect(writeTools.map(({ def }) => def.name)).toEqual(['edit', 'write']);
  });
});
