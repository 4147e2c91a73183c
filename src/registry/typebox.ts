/**
 * An object schema of TypeBox, known by its marks: of `typebox` (1.x), or of `@sinclair/typebox` (0.34). Neither
 * package is needed to read it (`tool:typebox`).
 */
export type TypeBoxObject = { readonly type: 'object' } & (
  | { readonly '~kind': 'Object'; readonly properties: object }
  | { readonly static: unknown; readonly params: unknown[] }
);

/**
 * The type of the values that a TypeBox schema accepts. `@sinclair/typebox` carries it along; for `typebox` it is
 * read off the kinds of which JSON Schema is made, and `unknown` for any other, such as a reference.
 */
export type StaticOf<Schema> = Schema extends { readonly static: unknown; readonly params: unknown[] }
  ? (Schema & { params: [] })['static']
  : Schema extends { readonly '~unsafe': infer Type }
    ? Type
    : Schema extends { readonly '~kind': 'Object'; readonly properties: infer Properties }
      ? StaticObject<Properties>
      : Schema extends { readonly '~kind': 'Array'; readonly items: infer Item }
        ? StaticOf<Item>[]
        : Schema extends { readonly '~kind': 'Record'; readonly patternProperties: infer Patterns }
          ? Record<string, StaticOf<Patterns[keyof Patterns]>>
          : Schema extends { readonly '~kind': 'Literal'; readonly const: infer Value }
            ? Value
            : Schema extends { readonly '~kind': 'Enum'; readonly enum: readonly (infer Value)[] }
              ? Value
              : Schema extends { readonly '~kind': 'Union'; readonly anyOf: readonly (infer Branch)[] }
                ? StaticOf<Branch>
                : Schema extends { readonly '~kind': 'Intersect'; readonly allOf: infer Parts }
                  ? StaticAll<Parts>
                  : Schema extends { readonly '~kind': keyof Simple }
                    ? Simple[Schema['~kind']]
                    : unknown;

interface Simple {
  readonly String: string;
  readonly TemplateLiteral: string;
  readonly Number: number;
  readonly Integer: number;
  readonly Boolean: boolean;
  readonly Null: null;
  readonly Never: never;
}

type OptionalKeys<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { readonly '~optional': true } ? Name : never;
}[keyof Properties];

type StaticObject<Properties> = Flat<
  { -readonly [Name in Exclude<keyof Properties, OptionalKeys<Properties>>]: StaticOf<Properties[Name]> } & {
    -readonly [Name in OptionalKeys<Properties>]?: StaticOf<Properties[Name]>;
  }
>;

type StaticAll<Parts> = Parts extends readonly [infer First, ...infer Rest]
  ? StaticOf<First> & StaticAll<Rest>
  : unknown;

type Flat<T> = { [Name in keyof T]: T[Name] };
