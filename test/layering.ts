import { posix } from 'node:path';
import type { SourceModule } from './source-module.js';

/** Who may import what. Types count too: what crosses a boundary is declared in src/contract. */
const IMPORT_RULES: readonly {
  readonly of: RegExp;
  readonly allow?: RegExp;
  readonly deny?: RegExp;
  readonly rule: string;
}[] = [
  {
    of: /^workflows\//,
    allow: /^(@temporalio\/(workflow|common)$|workflows\/|src\/(contract|policy)\/)/,
    rule: 'workflows/ imports @temporalio/workflow, @temporalio/common, src/contract and src/policy, nothing else',
  },
  {
    of: /^src\/contract\//,
    allow: /^(@temporalio\/common$|src\/contract\/)/,
    rule: 'src/contract imports @temporalio/common and itself, nothing else',
  },
  {
    of: /^src\/policy\//,
    allow: /^src\/(contract|policy)\//,
    rule: 'src/policy imports src/contract and itself, nothing else',
  },
  {
    of: /^(src|activities|examples)\//,
    deny: /^workflows\//,
    rule: 'workflows/ runs in the sandbox only; nothing but a test imports it',
  },
  {
    of: /^src\/(api|cli)\//,
    deny: /^(activities|src\/tools)\//,
    rule: 'src/api and src/cli never import activities or tools',
  },
];

/** What src/api and src/cli may not load, however many modules lie between (the verbs use `import()`). */
const WORKER_SIDE = /^(activities\/|src\/tools\/|src\/worker\.ts$)/;
const THIN = /^src\/(api|cli)\//;

const KIND_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc']);
const MOST_LINES = 300;

/** Every breach of the layering by these modules, one sentence each, naming the file. */
export function breaches(modules: readonly SourceModule[]): string[] {
  return [...modules.flatMap(breachesOf), ...modules.flatMap((module) => reach(module, modules))];
}

function breachesOf(module: SourceModule): string[] {
  const { path } = module;
  const found: string[] = [];
  for (const { of, allow, deny, rule } of IMPORT_RULES) {
    if (!of.test(path)) continue;
    for (const { target } of module.imports) {
      if (deny?.test(target) || allow?.test(target) === false)
        found.push(`${path} imports ${target}: ${rule}.`);
    }
  }
  const product = !path.startsWith('test/');
  if (product && module.readsEnvironment && path !== 'src/config.ts') {
    found.push(`${path} reads the environment: only src/config.ts does.`);
  }
  if (product && module.mintsGuardedPath && !path.startsWith('src/workspace/')) {
    found.push(`${path} asserts a GuardedPath: only the guard in src/workspace mints one.`);
  }
  if (product && module.lines > MOST_LINES)
    found.push(`${path} has ${module.lines} lines: ${MOST_LINES} is the most.`);
  if (path.split('/').some((part) => KIND_NAMES.has(posix.basename(part, '.ts')))) {
    found.push(`${path} is named after a kind: name it after what it is for.`);
  }
  if (path === 'workflows/index.ts' && module.exports.join() !== 'agentRun') {
    found.push(
      `${path} exports ${module.exports.join(', ')}: its exports are workflow types, exactly agentRun.`,
    );
  }
  return found;
}

function reach(start: SourceModule, modules: readonly SourceModule[]): string[] {
  if (!THIN.test(start.path)) return [];
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const seen = new Set<string>();
  const walk = (path: string, way: readonly string[]): string[] => {
    if (WORKER_SIDE.test(path)) {
      return [
        `${start.path} loads ${path} by ${way.join(', ')}: src/api and src/cli load the worker's side dynamically.`,
      ];
    }
    if (seen.has(path)) return [];
    seen.add(path);
    const loaded = byPath.get(path)?.imports.filter(({ kind }) => kind === 'static') ?? [];
    return loaded.flatMap(({ target }) => walk(target, [...way, target]));
  };
  return walk(start.path, []);
}
