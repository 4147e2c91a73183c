import { HoldfastError } from '../contract/error-codes.js';
import type { RegisteredTool } from '../registry/tool-registry.js';
import type { Tool } from '../registry/tool.js';
import { columns } from './columns.js';
import { agentsIn } from './load-agents.js';
import { loadModule } from './load-module.js';
import { jsonLine } from './print-json.js';
import { printableLine } from './printable.js';
import type { Colors, Terminal } from './terminal.js';

/** What is to be said of one tool. */
interface CheckedTool {
  readonly module: string;
  readonly tool: string;
  readonly ok: boolean;
  /** As a run would record them; absent when the tool is refused. */
  readonly riskLevel?: string;
  readonly pathArgs?: readonly string[];
  /** Why it is refused, or what a worker would only warn of. */
  readonly problems: readonly string[];
}

/** Takes a tool up as a worker does. */
type Register = (tool: Tool, warn: (line: string) => void) => readonly RegisteredTool[];

/** Shows what is wrong with the tools of modules; false when anything is. */
export async function reportTools(
  modules: readonly string[],
  terminal: Terminal,
  json: boolean,
): Promise<boolean> {
  // Loads the built-in tools, which belong to the worker's side.
  const { offeredTool, ToolRegistry } = await import('../registry/tool-registry.js');
  const register: Register = (tool, warn) => ToolRegistry.create([offeredTool(tool)], warn).all;
  const checked: CheckedTool[] = [];
  for (const path of modules) {
    const module = await loadModule(path);
    // The names that its agent has given to other tools.
    const tools = new Map<Tool, readonly string[]>();
    for (const { value } of module.exported) if (isTool(value)) tools.set(value, []);
    for (const { customTools } of agentsIn(module)) {
      const taken: string[] = [];
      for (const tool of customTools) {
        tools.set(tool, [...taken]);
        taken.push(nameOf(tool));
      }
    }
    if (tools.size === 0) {
      const text = `${module.name}: it exports no tool, and no agent with tools of its own.`;
      throw new HoldfastError('invalid_module', text);
    }
    for (const [tool, taken] of tools) checked.push(checkTool(module.name, tool, taken, register));
  }
  const ok = checked.every((tool) => tool.ok);
  if (json) terminal.print(jsonLine({ ok, tools: checked }));
  else for (const line of checkLines(checked, terminal.colors)) terminal.print(line);
  return ok;
}

/** A level that is left out fails here, and not in a worker (`tool:risk-levels`). */
function checkTool(module: string, tool: Tool, taken: readonly string[], register: Register): CheckedTool {
  const name = nameOf(tool);
  const problems: string[] = [];
  if (taken.includes(name)) problems.push(`Tool ${name}: another tool of the agent has this name.`);
  const isUnique = problems.length === 0;
  try {
    const registered = register(tool, (line) => problems.push(line));
    const ok = isUnique && tool.def.riskLevel !== undefined;
    const [{ riskLevel, pathArgs } = {}] = registered.map(({ manifest }) => manifest);
    return {
      module,
      tool: name,
      ok,
      problems,
      ...(riskLevel && { riskLevel }),
      ...(pathArgs && { pathArgs }),
    };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { module, tool: name, ok: false, problems: [...problems, error.message] };
  }
}

/** Tools may come from JavaScript, so nothing is taken for granted. */
function nameOf(tool: Tool | undefined): string {
  const name: unknown = tool?.def?.name;
  return typeof name === 'string' ? name : 'a tool without a name';
}

function checkLines(checked: readonly CheckedTool[], colors: Colors): readonly string[] {
  const rows = checked.map(({ module, tool, ok, riskLevel, pathArgs = [], problems }) => [
    ok
      ? {
          text: problems.length > 0 ? 'warn' : 'ok',
          paint: problems.length > 0 ? colors.yellow : colors.green,
        }
      : { text: 'FAIL', paint: colors.red },
    module,
    printableLine(tool, 64),
    riskLevel ?? '–',
    pathArgs.length > 0 ? `paths: ${printableLine(pathArgs.join(', '), 200)}` : 'no paths',
  ]);
  return columns(rows).flatMap((line, index) => [
    line,
    ...(checked[index]?.problems ?? []).map((problem) => `      ${printableLine(problem, 1000)}`),
  ]);
}

/** By its members: it may be made by another copy of the library. */
function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && 'def' in value && 'handler' in value;
}
