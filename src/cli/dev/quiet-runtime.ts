import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/** As `installRuntime`, with the log in `worker.log` of the state directory, out of the terminal. */
export function installQuietRuntime(stateDir: string, debug: boolean): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, 'worker.log');
  installRuntime((line) => appendFileSync(file, `${line}\n`, { mode: 0o600 }), debug);
}

/**
 * Must run before anything else of the SDK's worker: writes its log as lines of JSON, unless the SDK's own is
 * asked for; and leaves Ctrl-C to the command, which may need the worker to end its work.
 */
export function installRuntime(write: (line: string) => void, debug: boolean): void {
  const logger = debug
    ? new DefaultLogger('INFO')
    : new DefaultLogger('WARN', ({ level, timestampNanos, message, meta }) => {
        const at = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
        const { workflowId, activityType } = meta ?? {};
        write(JSON.stringify({ at, level, message, workflowId, activityType }));
      });
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
}
