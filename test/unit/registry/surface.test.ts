import { describe, expect, it } from 'vitest';
import type { SurfaceLists } from '../../../src/contract/manifest.js';
import { resolveSurface } from '../../../src/registry/surface.js';

const builtin = ['read', 'grep'].map((name) => ({ name, source: 'builtin' as const }));
const custom = ['status', 'tickets'].map((name) => ({ name, source: 'custom' as const }));
const known = ['read', 'grep', 'edit', 'write'];

function names(lists: SurfaceLists): string[] {
  return resolveSurface([...builtin, ...custom], lists, known).map(({ name }) => name);
}

describe('the surface', () => {
  const table: [what: string, lists: SurfaceLists, expected: string[]][] = [
    ['everything at hand by default', {}, ['read', 'grep', 'status', 'tickets']],
    ['only what is listed, in its own order', { tools: ['status', 'read'] }, ['read', 'status']],
    ['nothing for an empty list', { tools: [] }, []],
    ['what is not excluded', { excludeTools: ['grep', 'edit'] }, ['read', 'status', 'tickets']],
    [
      'nothing that is both listed and excluded',
      { tools: ['read', 'grep'], excludeTools: ['read'] },
      ['grep'],
    ],
    ['no built-in tools', { noTools: 'builtin' }, ['status', 'tickets']],
    ['no built-in tools, though listed', { noTools: 'builtin', tools: ['read', 'status'] }, ['status']],
    ['nothing', { noTools: 'all', tools: ['read'] }, []],
  ];
  it.each(table)('holds %s [surface:allow]', (_what, lists, expected) => {
    expect(names(lists)).toEqual(expected);
  });

  it('counts foreign tools among those that are not built in [surface:allow] [tool:foreign]', () => {
    const adopted = { name: 'weather', source: 'foreign' as const };
    expect(resolveSurface([...builtin, adopted], { noTools: 'builtin' }, known)).toEqual([adopted]);
  });

  it.each([
    [{ tools: ['reed'] }, 'No tool is named "reed"; did you mean read.'],
    [{ excludeTools: ['ticket'] }, 'No tool is named "ticket"; did you mean tickets.'],
    [{ tools: ['__proto__'] }, 'No tool is named "__proto__".'],
  ])(
    'refuses the name that no tool has in %j, with the near one [surface:unknown-name]',
    (lists, message) => {
      expect(() => names(lists)).toThrow(expect.objectContaining({ code: 'unknown_tool_name', message }));
    },
  );

  it.each(['builtin', 'custom', 'foreign'] as const)(
    'never holds bash, from whatever source: %s [surface:no-shell]',
    (source) => {
      const shell = { name: 'bash', source };
      expect(() => resolveSurface([...builtin, shell], {}, known)).toThrow(
        expect.objectContaining({ code: 'invalid_tool', message: expect.stringContaining('no shell') }),
      );
      expect(resolveSurface([...builtin, shell], { excludeTools: ['bash'] }, known)).toEqual(builtin);
    },
  );

  it.each(['edit', 'write'])(
    'refuses %s where it is not enabled [surface:narrow-only] [surface:default]',
    (name) => {
      expect(() => names({ tools: ['read', name] })).toThrow(
        expect.objectContaining({ code: 'surface_widened' }),
      );
    },
  );
});
