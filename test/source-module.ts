import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export interface SourceImport {
  /** `static` is loaded with the module, `dynamic` by `import()`, `type` never. */
  readonly kind: 'static' | 'dynamic' | 'type';
  /** A path from the root of the repository (`src/digest.ts`) or a package; `import()` for a computed one. */
  readonly target: string;
}

/** What the layering rules look at in one file. */
export interface SourceModule {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly SourceImport[];
  /** Names of the exported values; `*` for a default export and for `export * from`. */
  readonly exports: readonly string[];
  readonly readsEnvironment: boolean;
  /** Asserts that a value is a GuardedPath. */
  readonly mintsGuardedPath: boolean;
}

/** Every TypeScript file of `sourcePaths`. */
export function sourceModules(folders: readonly string[]): SourceModule[] {
  return sourcePaths(folders)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseModule(path, readFileSync(path, 'utf8')));
}

/** Every file and folder beneath the folders, without the projects that the examples work on. */
export function sourcePaths(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
        posix.join(folder, path.replaceAll('\\', '/')),
      ),
    )
    .filter((path) => !/^examples\/[^/]+\/workspace\//.test(path))
    .toSorted();
}

/** Throws for what is no TypeScript. */
export function parseModule(path: string, text: string): SourceModule {
  const { program, module, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const imports: SourceImport[] = [];
  let readsEnvironment = false;
  let mintsGuardedPath = false;
  const add = (kind: SourceImport['kind'], specifier: string | undefined): void => {
    const target = specifier === undefined ? 'import()' : resolve(path, specifier);
    imports.push({ kind, target });
    if (/^(node:)?process$/.test(target)) readsEnvironment = true;
  };
  const judgeAssertion = ({ start, end }: { start: number; end: number }): void => {
    if (/\bGuardedPath\b/.test(text.slice(start, end))) mintsGuardedPath = true;
  };
  new Visitor({
    ImportDeclaration: ({ importKind, source }) =>
      add(importKind === 'type' ? 'type' : 'static', source.value),
    ExportAllDeclaration: ({ exportKind, source }) =>
      add(exportKind === 'type' ? 'type' : 'static', source.value),
    ExportNamedDeclaration({ exportKind, source }) {
      if (source) add(exportKind === 'type' ? 'type' : 'static', source.value);
    },
    ImportExpression: ({ source }) => add('dynamic', literal(source)),
    TSImportType: ({ source }) => add('type', source.value),
    TSExternalModuleReference: ({ expression }) => add('static', expression.value),
    MemberExpression({ object, property }) {
      const name = property.type === 'Identifier' ? property.name : literal(property);
      if (name === 'env' && text.slice(object.start, object.end).endsWith('process')) readsEnvironment = true;
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'ObjectPattern' && init?.type === 'Identifier' && init.name === 'process') {
        readsEnvironment ||= /\benv\b/.test(text.slice(id.start, id.end));
      }
    },
    TSAsExpression: ({ typeAnnotation }) => judgeAssertion(typeAnnotation),
    TSTypeAssertion: ({ typeAnnotation }) => judgeAssertion(typeAnnotation),
    TSTypePredicate: judgeAssertion,
  }).visit(program);
  const exports = module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ isType }) => !isType)
    .map(({ exportName }) => exportName.name ?? '*');
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { path, lines, imports, exports, readsEnvironment, mintsGuardedPath };
}

function resolve(importer: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts');
}

function literal(node: { type: string; value?: unknown }): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
