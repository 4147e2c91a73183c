import { join } from 'node:path';
import type { JsonObject } from '../../../src/contract/json.js';
import type { ToolOutcome } from '../../../src/contract/tool.js';
import type { Tool } from '../../../src/registry/tool.js';
import { ToolRegistry } from '../../../src/registry/tool-registry.js';
import { guardArguments } from '../../../src/workspace/guard-arguments.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import type { Workspace } from '../../../src/workspace/workspace.js';
import { makeTree } from '../workspace/tree.js';

/** A workspace `ws` beneath a temporary directory. Names are as in `makeTree`, all beneath `ws`. */
export async function openWorkspace(entries: Parameters<typeof makeTree>[0]): Promise<Workspace> {
  const inside = Object.entries(entries).map(([name, entry]) => [`ws/${name}`, entry] as const);
  const base = await makeTree({ 'ws/': '', ...Object.fromEntries(inside) });
  return resolveWorkspace(join(base, 'ws'));
}

export const REFUSED_ARGUMENTS = 'The schema refused the arguments';

/** One call as the pipeline makes it: registered, validated, guarded, then run. A refusal throws. */
export async function callTool(
  tool: Tool,
  workspace: Workspace,
  args: JsonObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolOutcome> {
  const registered = ToolRegistry.create([{ tool, source: 'builtin' }], (line) => {
    throw new Error(line);
  }).get(tool.def.name);
  if (registered === undefined) throw new Error('The tool was not registered.');
  const { manifest, validate, run } = registered;
  const fault = validate(args);
  if (fault !== undefined) throw new Error(`${REFUSED_ARGUMENTS}: ${fault.text}`);
  const verdict = await guardArguments(
    workspace,
    manifest.pathArgs,
    args,
    manifest.riskLevel === 'read_only' ? 'read' : 'write',
  );
  if (!verdict.allowed) throw new Error(verdict.text);
  const outcome = await run(verdict.args, {
    runId: 'run',
    call: { turn: 0, index: 0 },
    idempotencyKey: 'run:0:0',
    attempt: 1,
    signal,
    heartbeat: () => undefined,
    workspace,
    log: { info: () => undefined, warn: () => undefined },
  });
  return outcome as ToolOutcome;
}
