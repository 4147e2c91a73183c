import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/**
 * Must run before anything else of the SDK's worker: keeps its log out of the terminal, in `worker.log` of the
 * state directory, unless it is asked for; and leaves Ctrl-C to the command, which cancels the run first, for
 * which the worker is needed.
 */
export function installQuietRuntime(stateDir: string, debug: boolean): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, 'worker.log');
  const logger = debug
    ? new DefaultLogger('INFO')
    : new DefaultLogger('WARN', ({ level, timestampNanos, message, meta }) => {
        const at = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
        const { workflowId, activityType } = meta ?? {};
        appendFileSync(file, `${JSON.stringify({ at, level, message, workflowId, activityType })}\n`, {
          mode: 0o600,
        });
      });
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
}
