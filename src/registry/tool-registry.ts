import { HoldfastError } from '../contract/error-codes.js';
import type { JsonObject } from '../contract/json.js';
import type { ManifestTool } from '../contract/manifest.js';
import type { ObjectSchema, ToolDef } from '../contract/tool.js';
import { digestOf } from '../digest.js';
import { checkDefinition } from './check-definition.js';
import { legacyPathArguments, pathArgumentFault } from './check-path-args.js';
import { readSchema, type SchemaOrigin } from './read-schema.js';
import { SchemaRefusal } from './schema-refusal.js';
import type { SchemaValidator } from './schema-validator.js';
import { BUILTIN_NAMES } from './surface.js';
import type { PreviewContext, Tool, ToolContext } from './tool.js';
import { ValidatorCache } from './validator-cache.js';

/** A tool that was accepted: what a run records, and what runs. */
export interface RegisteredTool {
  readonly manifest: ManifestTool;
  readonly validate: SchemaValidator;
  /** Runs the handler with arguments that were validated and guarded. What comes back is not trusted. */
  readonly run: (args: JsonObject, context: ToolContext) => unknown;
  /** Says what a call with such arguments would do. What comes back is not trusted. */
  readonly preview?: (args: JsonObject, context: PreviewContext) => unknown;
}

export interface OfferedTool {
  readonly tool: Tool;
  readonly source: ManifestTool['source'];
}

/** A tool of an agent's own, as it is offered. It may come from JavaScript. */
export function offeredTool(tool: Tool): OfferedTool {
  return { tool, source: tool?.origin === 'foreign' ? 'foreign' : 'custom' };
}

/** The tools that a worker holds for an agent, in the order in which they were given. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #validators = new ValidatorCache();

  private constructor() {}

  /**
   * Takes tools up, or throws a HoldfastError for the first that is refused, naming it and the place:
   * `invalid_tool`, `duplicate_tool`, `invalid_schema` or `invalid_path_args`. Every schema is compiled here,
   * once (`tool:schema-at-registration`).
   *
   * @param warn receives one line for each doubt: no riskLevel, a path argument that is not declared.
   */
  static create(offered: readonly OfferedTool[], warn: (line: string) => void): ToolRegistry {
    const registry = new ToolRegistry();
    for (const { tool, source } of offered) registry.#register(tool, source, warn);
    return registry;
  }

  /** Undefined for every name that no tool was registered under, `constructor` and `__proto__` included. */
  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  get all(): readonly RegisteredTool[] {
    return [...this.#tools.values()];
  }

  /** The validator of any tool's schema, such as one that an older run recorded. Throws SchemaRefusal. */
  validatorOf({ parameters, source }: Pick<ManifestTool, 'parameters' | 'source'>): SchemaValidator {
    return this.#validators.of(parameters, originOf(source));
  }

  #register(tool: Tool, source: ManifestTool['source'], warn: (line: string) => void): void {
    if (typeof tool !== 'object' || tool === null) {
      throw new HoldfastError('invalid_tool', 'A tool is what defineTool gives: a definition and a handler.');
    }
    const { def, handler, preview } = tool;
    const definition = checkDefinition(def, warn);
    const { name } = definition;
    if (typeof handler !== 'function') {
      throw new HoldfastError('invalid_tool', `Tool ${name}: handler must be a function.`);
    }
    if (preview !== undefined && typeof preview !== 'function') {
      throw new HoldfastError('invalid_tool', `Tool ${name}: preview must be a function, or be left out.`);
    }
    if (source !== 'builtin' && BUILTIN_NAMES.includes(name)) {
      const text = `Tool ${name}: a built-in tool has this name, whether it is enabled or not. Choose another.`;
      throw new HoldfastError('duplicate_tool', text);
    }
    if (this.#tools.has(name)) {
      throw new HoldfastError(
        'duplicate_tool',
        `Tool ${name}: another tool has this name. Rename one of the two.`,
      );
    }
    const { parameters, dialect, ignored } = refusing(name, () =>
      readSchema(def.parameters, originOf(source)),
    );
    const validate = refusing(name, () => this.validatorOf({ parameters, source }));
    const manifest: ManifestTool = {
      ...definition,
      parameters,
      schemaDigest: digestOf(parameters),
      pathArgs: pathArgsOf(name, def, parameters, warn),
      previews: preview !== undefined,
      source,
      dialect: dialect.name,
      ...(ignored && { ignored }),
    };
    this.#tools.set(name, {
      manifest,
      validate,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- valid by the schema that gave the type
      run: (args, context) => handler(args as never, context),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      ...(preview && { preview: (args, context) => preview(args as never, context) }),
    });
  }
}

function originOf(source: ManifestTool['source']): SchemaOrigin {
  return source === 'foreign' ? 'foreign' : 'own';
}

function refusing<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SchemaRefusal)) throw cause;
    throw new HoldfastError('invalid_schema', `Tool ${name}: parameters ${cause.message}.`, { cause });
  }
}

/** Declared path arguments, and those that are guarded by their names alone. */
function pathArgsOf(
  name: string,
  def: ToolDef,
  parameters: ObjectSchema,
  warn: (line: string) => void,
): readonly string[] {
  const declared: unknown = def.pathArgs ?? [];
  if (!Array.isArray(declared)) {
    throw new HoldfastError('invalid_path_args', `Tool ${name}: pathArgs must be a list of names.`);
  }
  for (const argument of declared) {
    const fault = pathArgumentFault(parameters, argument);
    if (fault === undefined) continue;
    const shown = (JSON.stringify(argument) ?? typeof argument).slice(0, 80);
    throw new HoldfastError('invalid_path_args', `Tool ${name}: pathArgs ${shown} ${fault}.`);
  }
  const undeclared = legacyPathArguments(parameters).filter((argument) => !declared.includes(argument));
  for (const argument of undeclared) {
    warn(
      `Tool ${name}: ${argument} is guarded as a path because of its name. Declare it in pathArgs, or rename it.`,
    );
  }
  return [...new Set<string>(declared), ...undeclared];
}
