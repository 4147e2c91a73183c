import type { HoldfastClient } from '../../client.js';
import type { HoldfastConfig } from '../../config.js';
import { openTemporal, type TemporalAccess } from '../../dev/connect-temporal.js';
import { runningEmbeddedServer, stopEmbeddedServer } from '../../dev/embedded-server.js';

export interface DevServer {
  readonly access: TemporalAccess;
  /** It was not started for this run, and goes on after it. */
  readonly stays: boolean;
  /**
   * Stops a server that was started for this run and that no other run uses; says in one line what is left. A
   * process that quits without this stops it too.
   */
  close(client: HoldfastClient | undefined, runId: string): Promise<string>;
}

/** The Temporal server for this command, found or started. `report` receives a line before something slow. */
export async function openServer(config: HoldfastConfig, report: (line: string) => void): Promise<DevServer> {
  const wasRunning = !config.temporal && (await runningEmbeddedServer(config.stateDir)) !== undefined;
  const startedAt = new Date();
  const access = await openTemporal(config, report);
  const started = access.embedded && !wasRunning ? await runningEmbeddedServer(config.stateDir) : undefined;
  const stopAtExit = (): void => {
    try {
      if (started) process.kill(started.pid);
    } catch {
      // It ended before.
    }
  };
  process.once('exit', stopAtExit);
  return {
    access,
    stays: !access.embedded || wasRunning,
    close: async (client, runId) => {
      process.off('exit', stopAtExit);
      if (!access.embedded) return 'The Temporal server was not started here and goes on.';
      if (wasRunning) return 'The embedded Temporal server ran before and goes on.';
      if (client && (await othersRun(client, runId, startedAt))) {
        return 'The embedded Temporal server goes on: another run uses it.';
      }
      await stopEmbeddedServer(config.stateDir);
      return 'Stopped: nothing started here is left running, and the state stays on disk.';
    },
  };
}

/** Runs that began since; older ones that are still open were left behind, and nobody works on them. */
async function othersRun(client: HoldfastClient, runId: string, since: Date): Promise<boolean> {
  const query = `ExecutionStatus = 'Running' AND WorkflowId != '${runId}' AND StartTime > '${since.toISOString()}'`;
  // A server that does not answer is of no use to anybody.
  const { count } = await client.temporal.workflow.count(query).catch(() => ({ count: 0 }));
  return count > 0;
}
