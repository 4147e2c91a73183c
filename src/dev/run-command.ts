import { spawn } from 'node:child_process';

export type CommandResult =
  | { readonly ok: true; readonly stdout: string }
  /** `reason` is one line, without directories. */
  | { readonly ok: false; readonly reason: string };

export interface CommandOptions {
  /** After this time the command and all that it started are killed. */
  readonly timeoutMs: number;
  readonly cwd?: string;
}

const KEPT_OUTPUT = 4 * 1024 * 1024;

/** Runs a program without a shell and without input. Never throws: what goes wrong is the result. */
export function runCommand(
  file: string,
  args: readonly string[],
  { timeoutMs, cwd }: CommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    // A process group of its own: the SDK's downloader ignores SIGTERM and starts a server of its own.
    const child = spawn(file, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let timedOut = false;
    child.stdout
      .setEncoding('utf8')
      .on('data', (text: string) => (stdout = (stdout + text).slice(-KEPT_OUTPUT)));
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (stderr = (stderr + text).slice(-KEPT_OUTPUT)));
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup(child.pid);
    }, timeoutMs);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ ok: false, reason: `it could not be started (${error.code ?? 'unknown'})` });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (timedOut) return resolve({ ok: false, reason: `it took longer than ${timeoutMs / 1000} s` });
      if (code === 0) return resolve({ ok: true, stdout });
      const end = signal ? `it was ended by ${signal}` : `it ended with code ${code}`;
      return resolve({ ok: false, reason: mainLine(stderr) ?? end });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function mainLine(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  const line = lines.find((text) => /^error\b/i.test(text)) ?? lines.findLast((text) => text !== '');
  return line?.replace(/(^|[\s'"(=])\/\S*\//g, '$1').slice(0, 300);
}
