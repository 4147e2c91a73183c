import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { JsonObject } from '../contract/json.js';
import type { ObjectSchema, ToolDef } from '../contract/tool.js';
import type { GuardedPath } from '../workspace/workspace.js';
import type { Tool, ToolHandler, ToolPreview } from './tool.js';
import type { StaticOf, TypeBoxObject } from './typebox.js';

/** A JSON Schema, or one that TypeBox built. */
type Parameters = ObjectSchema | TypeBoxObject;

/** A definition whose schema and paths are known to the compiler. */
export interface TypedToolDef<Schema extends Parameters, Paths extends readonly string[]> extends Omit<
  ToolDef,
  'parameters' | 'pathArgs'
> {
  readonly parameters: Schema;
  readonly pathArgs?: Paths;
}

/**
 * A handler's arguments: as the schema says, and the paths named at its root as canonical paths
 * (`tool:handler-args`). A schema that the compiler does not know gives JsonObject.
 */
export type ArgsOf<
  Schema extends Parameters,
  Paths extends readonly string[] = [],
> = Schema extends TypeBoxObject
  ? WithPaths<StaticOf<Schema>, Paths[number]>
  : Schema extends JSONSchema
    ? WithPaths<FromSchema<Schema>, Paths[number]>
    : JsonObject;

type WithPaths<Args, Paths> = {
  [Name in keyof Args]: Name extends Paths
    ? GuardedPath
    : Listed<Name> extends Paths
      ? readonly GuardedPath[]
      : Args[Name];
};
type Listed<Name> = Name extends string ? `${Name}[]` : never;

/** What a tool may have besides a handler. */
export interface ToolExtra<Args> {
  /** Shown to whoever is asked about a call. Default: the arguments alone are shown (`hitl:preview`). */
  readonly preview?: ToolPreview<Args>;
}

/**
 * Puts a definition and its handler together. Nothing is judged yet: a worker that takes the tool up does that,
 * and refuses it by a HoldfastError (`tool:schema-at-registration`).
 *
 * Written inline, `as const`, or by TypeBox (`tool:typebox`), the schema gives the handler's arguments their
 * types. A schema built at run time cannot: the handler then declares the type, and the validator alone vouches for it.
 */
export function defineTool<const Schema extends Parameters, const Paths extends readonly string[] = []>(
  def: TypedToolDef<Schema, Paths>,
  handler: ToolHandler<ObjectSchema extends Schema ? never : ArgsOf<Schema, Paths>>,
  extra: ToolExtra<ObjectSchema extends Schema ? never : ArgsOf<Schema, Paths>> = {},
): Tool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an interface of TypeBox names no JSON values
  return { def: def as ToolDef, handler, ...extra };
}
