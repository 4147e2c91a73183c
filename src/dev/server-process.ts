import { readdir, readFile, stat } from 'node:fs/promises';
import { HoldfastError } from '../contract/error-codes.js';
import { runCommand } from './run-command.js';

/** A running embedded server. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
}

/** The arguments by which a server is known again. */
export function serverArguments(dbFile: string, port: number): readonly string[] {
  return ['server', 'start-dev', '--db-filename', dbFile, '--port', String(port)];
}

/**
 * The server of this database, found in the table of processes. A pid in a file would be wrong after a kill, a
 * reboot or a crash between start and write, and may by then be another program's; the command line never is.
 * Only processes of this user count.
 */
export async function findServer(dbFile: string): Promise<ServerProcess | undefined> {
  const marker = ` ${serverArguments(dbFile, 0).slice(0, -1).join(' ')} `;
  for (const { pid, command } of await listProcesses()) {
    const at = command.indexOf(marker);
    const port = at < 0 ? NaN : Number.parseInt(command.slice(at + marker.length), 10);
    if (port > 0) return { pid, port };
  }
  return undefined;
}

type Process = { readonly pid: number; readonly command: string };

async function listProcesses(): Promise<readonly Process[]> {
  if (process.platform === 'linux') return readProc();
  if (process.platform === 'darwin') return runPs();
  throw new HoldfastError(
    'temporal_unavailable',
    'The embedded server needs Linux or macOS; set TEMPORAL_ADDRESS to a running Temporal server.',
  );
}

async function readProc(): Promise<readonly Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid): Promise<Process | undefined> => {
      try {
        if ((await stat(`/proc/${pid}`)).uid !== process.geteuid?.()) return undefined;
        const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
        return { pid: Number(pid), command };
      } catch {
        // It ended meanwhile.
        return undefined;
      }
    }),
  );
  return found.filter((entry) => entry !== undefined);
}

async function runPs(): Promise<readonly Process[]> {
  const ps = await runCommand('ps', ['-xww', '-o', 'pid=,command='], { timeoutMs: 10_000 });
  if (!ps.ok) {
    throw new HoldfastError(
      'temporal_unavailable',
      'ps failed, so a running embedded server cannot be found.',
    );
  }
  return ps.stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), command: `${match[2]} ` }] : [];
  });
}
