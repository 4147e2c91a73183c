import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json.js';
import { mapPathArgs } from '../../../src/registry/path-args.js';

function visited(args: JsonObject, pathArgs: readonly string[]): string[] {
  const seen: string[] = [];
  mapPathArgs(args, pathArgs, (place, value, wanted) => {
    seen.push(`${place}=${JSON.stringify(value)}${wanted === 'string' ? '' : `, no ${wanted}`}`);
    return value;
  });
  return seen;
}

describe('mapPathArgs', () => {
  it.each([
    [{ source: 'a' }, ['source'], ['source="a"']],
    [{ job: { from: 'a', to: 'b' } }, ['job.from', 'job.to'], ['job.from="a"', 'job.to="b"']],
    [{ paths: ['a', 'b'] }, ['paths[]'], ['paths[0]="a"', 'paths[1]="b"']],
    [{ items: [{ file: 'a' }, { file: 'b' }] }, ['items[].file'], ['items[0].file="a"', 'items[1].file="b"']],
    [{ grid: [['a'], ['b', 'c']] }, ['grid[][]'], ['grid[0][0]="a"', 'grid[1][0]="b"', 'grid[1][1]="c"']],
    [{ a: { b: [{ c: 'x' }] } }, ['a.b[].c'], ['a.b[0].c="x"']],
  ])('finds in %j by %j the places %j [tool:path-args, H07]', (args, pathArgs, places) => {
    expect(visited(args, pathArgs)).toEqual(places);
  });

  it.each([
    [{ source: 7 }, ['source'], ['source=7']],
    [{ source: null }, ['source'], ['source=null']],
    [{ source: ['a'] }, ['source'], ['source=["a"]']],
    [{ job: 'a' }, ['job.from'], ['job="a", no object']],
    [{ job: ['a'] }, ['job.from'], ['job=["a"], no object']],
    [{ job: null }, ['job.from'], ['job=null, no object']],
    [{ paths: 'a' }, ['paths[]'], ['paths="a", no array']],
    [{ paths: { 0: 'a' } }, ['paths[]'], ['paths={"0":"a"}, no array']],
    [{ items: ['a'] }, ['items[].file'], ['items[0]="a", no object']],
  ])('skips nothing of another shape: %j by %j [path:fail-closed, H07]', (args, pathArgs, places) => {
    expect(visited(args, pathArgs)).toEqual(places);
  });

  it.each([
    [{}, ['source']],
    [{ job: {} }, ['job.from']],
    [{ paths: [] }, ['paths[]']],
    [{ items: [{}] }, ['items[].file']],
    [{}, ['constructor', 'toString.name', '__proto__']],
  ])('visits nothing that is absent: %j by %j [tool:path-args]', (args, pathArgs) => {
    expect(visited(args, pathArgs)).toEqual([]);
  });

  it('puts the answers into a copy and leaves the arguments as they are [tool:handler-args]', () => {
    const args = { path: 'a', items: [{ file: 'b', note: 'path' }, { note: 'x' }], paths: ['c'], n: 1 };
    const before = structuredClone(args);
    const mapped = mapPathArgs(args, ['path', 'items[].file', 'paths[]'], (place) => `<${place}>`);
    expect(mapped).toEqual({
      path: '<path>',
      items: [{ file: '<items[0].file>', note: 'path' }, { note: 'x' }],
      paths: ['<paths[0]>'],
      n: 1,
    });
    expect(args).toEqual(before);
  });

  it('takes a member named __proto__ for an ordinary one [tool:path-args]', () => {
    const args: JsonObject = JSON.parse('{"__proto__": "a", "b": {"__proto__": {"c": "d"}}}');
    const mapped = mapPathArgs(args, ['__proto__', 'b.__proto__.c'], (place) => `<${place}>`);
    expect(JSON.stringify(mapped)).toBe(
      '{"__proto__":"<__proto__>","b":{"__proto__":{"c":"<b.__proto__.c>"}}}',
    );
    expect(Object.getPrototypeOf(mapped)).toBe(Object.prototype);
  });
});
