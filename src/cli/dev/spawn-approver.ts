import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TemporalAccess } from '../../dev/connect-temporal.js';

/**
 * Starts the second process that decides in this run; it ends with the run, and with this process. Resolves with
 * false when it failed: it has said why on standard error.
 */
export function spawnApprover(runId: string, access: TemporalAccess, isExample: boolean): Promise<boolean> {
  const program = fileURLToPath(new URL('approver.js', import.meta.url));
  const where = ['--run', runId, '--address', access.connection.address, '--namespace', access.namespace];
  // In a group of its own, Ctrl-C cancels the run, which ends it too.
  const child = spawn(process.execPath, [program, ...where, ...(isExample ? ['--example'] : [])], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false)).on('exit', (code) => resolve(code === 0));
  });
}
