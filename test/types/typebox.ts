// `npm run types` is the test: what TypeBox users write compiles, and wrong uses do not (`tool:typebox`).
import { Type as Type034, type Static as Static034 } from '@sinclair/typebox';
import { Type, type Static } from 'typebox';
import { expectTypeOf } from 'vitest';
import { defineTool } from '../../src/index.js';
import type { GuardedPath } from '../../src/workspace/workspace.js';

const common = { name: 't', description: 'd', riskLevel: 'mutation' } as const;

const Move = Type.Object(
  {
    from: Type.String({ minLength: 1 }),
    paths: Type.Array(Type.String()),
    mode: Type.Union([Type.Literal('copy'), Type.Literal('link'), Type.Null()]),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    count: Type.Integer(),
    ratio: Type.Optional(Type.Number()),
    deep: Type.Object({ on: Type.Boolean(), list: Type.Array(Type.Object({ n: Type.Integer() })) }),
    labels: Type.Record(Type.String(), Type.Number()),
    both: Type.Intersect([Type.Object({ x: Type.String() }), Type.Object({ y: Type.Number() })]),
    own: Type.Unsafe<'z'>({ const: 'z' }),
    any: Type.Unknown(),
  },
  { additionalProperties: false },
);

defineTool({ ...common, parameters: Move }, (args) => {
  // The package's own reading is the measure.
  expectTypeOf(args).toEqualTypeOf<Static<typeof Move>>();
  expectTypeOf(args.kind).toEqualTypeOf<'a' | 'b' | undefined>();
  // @ts-expect-error the schema has no such property
  return String(args.other);
});

defineTool({ ...common, parameters: Move, pathArgs: ['from', 'paths[]'] }, (args) => {
  expectTypeOf(args.from).toEqualTypeOf<GuardedPath>();
  expectTypeOf(args.paths).toEqualTypeOf<readonly GuardedPath[]>();
  return 'ok';
});

defineTool({ ...common, parameters: Type.Object({ n: Type.Integer() }) }, ({ n }) => n.toFixed());

// @ts-expect-error n is a number
defineTool({ ...common, parameters: Type.Object({ n: Type.Integer() }) }, (args: { n: string }) => args.n);

// @ts-expect-error arguments are an object
defineTool({ ...common, parameters: Type.String() }, () => 'ok');

const Move034 = Type034.Object({
  from: Type034.String(),
  kind: Type034.Optional(Type034.Union([Type034.Literal('a'), Type034.Literal('b')])),
  rows: Type034.Array(Type034.Object({ n: Type034.Integer() })),
});

defineTool({ ...common, parameters: Move034 }, (args) => {
  expectTypeOf(args).toEqualTypeOf<Static034<typeof Move034>>();
  // @ts-expect-error the schema has no such property
  return String(args.other);
});

defineTool({ ...common, parameters: Move034, pathArgs: ['from'] }, ({ from }) => {
  expectTypeOf(from).toEqualTypeOf<GuardedPath>();
  return 'ok';
});

// @ts-expect-error from is a string
defineTool({ ...common, parameters: Move034 }, (args: { from: number }) => String(args.from));

// @ts-expect-error arguments are an object
defineTool({ ...common, parameters: Type034.String() }, () => 'ok');
