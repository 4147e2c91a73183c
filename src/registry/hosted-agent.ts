import { HoldfastError } from '../contract/error-codes.js';
import type { ManifestTool } from '../contract/manifest.js';
import type { Model } from '../models/model.js';
import { readTools, writeTools } from '../tools/builtin-tools.js';
import { DEFAULT_PROTECTED_PATHS } from '../workspace/protected-paths.js';
import { resolveWorkspace } from '../workspace/resolve-workspace.js';
import type { Workspace } from '../workspace/workspace.js';
import { checkApprovers } from './check-approvers.js';
import type { Agent } from './define-agent.js';
import { BUILTIN_NAMES, checkNames, resolveSurface } from './surface.js';
import { offeredTool, ToolRegistry } from './tool-registry.js';

/** An agent as a worker holds it: workspace resolved, tools compiled. */
export interface HostedAgent {
  readonly agent: Agent;
  readonly model: Model;
  readonly workspace: Workspace;
  readonly registry: ToolRegistry;
  /** What a run may use at the most; a start may narrow it. */
  readonly surface: readonly ManifestTool[];
}

export interface HostOptions {
  /** Receives one line for each doubt at registration. */
  readonly warn: (line: string) => void;
  /** Protected when it lies in the workspace, whatever its name (`path:protected`). */
  readonly stateDirectory?: string;
}

/**
 * Resolves the workspace and compiles every tool, once, when a worker starts. Throws a HoldfastError that
 * names the tool or the workspace's fault; nothing that failed is ever offered to a model.
 */
export async function hostAgent(agent: Agent, options: HostOptions): Promise<HostedAgent> {
  const { warn, stateDirectory } = options;
  const workspace = await resolveWorkspace(agent.workspace, {
    protectedPaths: [...DEFAULT_PROTECTED_PATHS, ...agent.protectedPaths],
    ...(stateDirectory !== undefined && { stateDirectory }),
  });
  const absolute = agent.protectedPaths.findIndex((glob) => `${glob}/`.startsWith(`${workspace.root}/`));
  if (absolute >= 0) {
    const text = `${agent.name}: protectedPaths[${absolute}] is absolute and would protect nothing; write it as seen from the workspace.`;
    throw new HoldfastError('invalid_agent', text);
  }
  const builtin = agent.enableWriteTools ? [...readTools, ...writeTools] : readTools;
  const registry = ToolRegistry.create(
    [...builtin.map((tool) => ({ tool, source: 'builtin' as const })), ...agent.customTools.map(offeredTool)],
    warn,
  );
  const surface = resolveSurface(
    registry.all.map((tool) => tool.manifest),
    agent,
    BUILTIN_NAMES,
  );
  checkNames(agent.requireApprovalFor, registry.names);
  checkApprovers(agent, surface, [...registry.names, ...BUILTIN_NAMES]);
  checkNames(Object.keys(agent.budgets.maxErrorsPerTool ?? {}), [...registry.names, ...BUILTIN_NAMES]);
  return { agent, model: agent.model, workspace, registry, surface };
}
