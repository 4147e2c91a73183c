import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ObjectSchema } from '../../../src/contract/tool.js';
import { defineTool } from '../../../src/registry/define-tool.js';
import type { GuardedPath } from '../../../src/workspace/workspace.js';

describe('defineTool', () => {
  it('gives the handler the types of an inline schema, and its root paths as guarded ones [tool:handler-args]', () => {
    const tool = defineTool(
      {
        name: 'move',
        description: 'Moves files.',
        riskLevel: 'mutation',
        parameters: {
          type: 'object',
          properties: {
            from: { type: 'string' },
            paths: { type: 'array', items: { type: 'string' } },
            mode: { enum: ['copy', 'link'] },
            count: { type: 'integer' },
            nested: { type: 'object', properties: { deep: { type: 'array', items: { type: 'boolean' } } } },
          },
          required: ['from', 'count'],
          additionalProperties: false,
        },
        pathArgs: ['from', 'paths[]'],
      },
      (args) => {
        expectTypeOf(args.from).toEqualTypeOf<GuardedPath>();
        expectTypeOf(args.paths).toEqualTypeOf<readonly GuardedPath[] | undefined>();
        expectTypeOf(args.mode).toEqualTypeOf<'copy' | 'link' | undefined>();
        expectTypeOf(args.count).toEqualTypeOf<number>();
        expectTypeOf(args.nested?.deep).toEqualTypeOf<boolean[] | undefined>();
        // @ts-expect-error the schema has no such property
        return String(args.other);
      },
    );
    expect(tool.def.name).toBe('move');
  });

  it('refuses a handler that takes other arguments than the inline schema gives [tool:def]', () => {
    const def = {
      name: 't',
      description: 'd',
      parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    } as const;
    // @ts-expect-error n is a number
    const tool = defineTool(def, (args: { n: string }) => args.n);
    expect(tool.def).toBe(def);
  });

  it('lets a handler declare the arguments of a schema built at run time [tool:def]', () => {
    const parameters: ObjectSchema = { type: 'object' };
    const def = { name: 't', description: 'd', parameters };
    const tool = defineTool(def, (args: { readonly line: string }) => args.line);
    expect(tool.def).toBe(def);
  });
});
