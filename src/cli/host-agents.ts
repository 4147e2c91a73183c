import type { HostedAgent } from '../registry/hosted-agent.js';
import { loadAgents } from './load-agents.js';

/** The agents of modules, each resolved and checked as a worker does. Throws HoldfastError as `loadAgents` and `hostAgent` do. */
export async function hostAgents(
  modules: readonly string[],
  warn: (line: string) => void,
): Promise<readonly HostedAgent[]> {
  const { hostAgent } = await import('../registry/hosted-agent.js');
  const agents = await loadAgents(modules);
  return Promise.all(agents.map((agent) => hostAgent(agent, { warn })));
}
