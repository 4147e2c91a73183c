import { HoldfastError } from '../contract/error-codes.js';
import { defineAgent, type Agent, type AgentOptions } from '../registry/define-agent.js';
import { loadModule, type LoadedModule } from './load-module.js';

/**
 * The agents that modules export, by default or by name, each checked again. Throws HoldfastError
 * `invalid_module` for one without any, `invalid_agent` for a wrong definition or two agents of one name.
 */
export async function loadAgents(paths: readonly string[]): Promise<readonly Agent[]> {
  const from = new Map<string, string>();
  const agents: Agent[] = [];
  for (const path of paths) {
    const module = await loadModule(path);
    const found = agentsIn(module);
    if (found.length === 0) throw new HoldfastError('invalid_module', `${module.name}: ${whyNone(module)}.`);
    for (const agent of found) {
      const before = from.get(agent.name);
      if (before !== undefined) {
        const where = before === module.name ? `twice in ${before}` : `in ${before} and in ${module.name}`;
        throw new HoldfastError('invalid_agent', `${agent.name}: an agent of this name stands ${where}.`);
      }
      from.set(agent.name, module.name);
      agents.push(agent);
    }
  }
  return agents;
}

/** Throws HoldfastError `invalid_agent` for an export that is meant for an agent and is none. */
export function agentsIn({ exported }: LoadedModule): readonly Agent[] {
  return exported.flatMap(({ value }) => (looksLikeAgent(value) ? [defineAgent(value)] : []));
}

/** By its members: an agent may be made by another copy of the library. */
function looksLikeAgent(value: unknown): value is AgentOptions {
  return typeof value === 'object' && value !== null && 'instructions' in value && 'model' in value;
}

function whyNone({ exported }: LoadedModule): string {
  const made = exported.find(({ value }) => typeof value === 'function');
  if (!made) return 'it exports no agent; export what defineAgent returns';
  return `it exports the function ${made.name} and no agent; call it there, and export what it returns`;
}
