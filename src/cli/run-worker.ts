import { readConfig } from '../config.js';
import { openTemporal, type TemporalAccess } from '../dev/connect-temporal.js';
import { runningEmbeddedServer } from '../dev/embedded-server.js';
import type { HostedAgent } from '../registry/hosted-agent.js';
import { KeyDirectory } from '../signing/key-directory.js';
import { FileTranscriptStore } from '../transcript/file-store.js';
import { readWebhooks } from '../webhooks/webhook-file.js';
import { columns } from './columns.js';
import type { CommandContext } from './command-line.js';
import { installRuntime } from './dev/quiet-runtime.js';
import type { Exit } from './exit-codes.js';
import { loadAgents } from './load-agents.js';
import { jsonLine } from './print-json.js';
import { surfaceRows } from './print-surface.js';

/**
 * Loads the agents, finds or starts Temporal, and works. The first interrupt ends it gracefully: nothing new is
 * taken, and running tools have their time.
 */
export async function runWorker(
  modules: readonly string[],
  json: boolean,
  { terminal, settings, interrupts }: CommandContext,
): Promise<Exit> {
  const config = readConfig();
  const agents = await loadAgents(modules);
  const webhooks = config.webhooksFile === undefined ? undefined : await readWebhooks(config.webhooksFile);
  // A report of a slow step is no result.
  const access = await openTemporal(config, json ? terminal.complain : terminal.print);
  installRuntime(terminal.complain, settings.debug);
  const { createWorker } = await import('../worker.js');
  const { connection, namespace } = access;
  const worker = await createWorker({
    agents,
    transcript: new FileTranscriptStore(config.stateDir),
    connection,
    namespace,
    stateDirectory: config.stateDir,
    trustedKeys: new KeyDirectory(config.stateDir).trusted,
    ...(webhooks && { webhooks }),
    warn: terminal.complain,
  });
  interrupts.hold();
  interrupts.signal.addEventListener('abort', () => {
    terminal.complain('Stopping: running tools have their time. Again quits at once.');
    worker.shutdown();
  });
  const working = worker.run();
  if (json)
    terminal.print(jsonLine({ event: 'working', agents: worker.agents.map(surfaceOf), ...where(access) }));
  else for (const line of headerOf(worker.agents, access)) terminal.print(line);
  await working;
  if (!json) terminal.print(await closing(access, config.stateDir));
  return 'ok';
}

function surfaceOf({ agent, surface, workspace: { protectedPaths } }: HostedAgent) {
  const tools = surface.map(({ name, riskLevel }) => ({ name, riskLevel }));
  return { agent: agent.name, tools, protectedPaths };
}

function where({ connection, namespace, embedded }: TemporalAccess) {
  return { temporal: { address: connection.address, namespace, embedded } };
}

function headerOf(agents: readonly HostedAgent[], { source }: TemporalAccess): readonly string[] {
  return [
    source,
    ...agents.flatMap(({ agent, surface }) => [
      '',
      ...columns([
        ['Agent', agent.name],
        ['Model', agent.model.id],
        ...surfaceRows(surface, agent.protectedPaths),
      ]),
    ]),
    '',
    'Working. Ctrl-C stops.',
  ];
}

async function closing({ embedded }: TemporalAccess, stateDir: string): Promise<string> {
  const running = embedded ? await runningEmbeddedServer(stateDir) : undefined;
  if (!running) return 'Stopped.';
  return `Stopped. The embedded Temporal server goes on and keeps the runs at hand; kill ${String(running.pid)} ends it.`;
}
