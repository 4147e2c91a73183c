import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stopEmbeddedServer } from '../../src/dev/embedded-server.js';
import { testPlaces } from '../harness/places.js';
import { withProject } from './project.js';

const PROGRAM = resolve('dist/src/cli/main.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs in a process of its own. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly texts: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<Ended>;
}

/** The built command line in processes of their own, told nothing by our environment. */
export class Processes {
  private readonly children: ChildProcess[] = [];

  start(
    directory: string,
    args: readonly string[],
    {
      input = '',
      env = {},
    }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ): Running {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: directory,
      env: { PATH, HOME, HOLDFAST_STATE_DIR: 'state', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.children.push(child);
    child.stdin.end(input);
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (texts.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (texts.stderr += String(chunk)));
    const ended = new Promise<Ended>((done) => {
      child.on('close', (code) => done({ code, ...texts }));
    });
    return { child, texts, ended };
  }

  killAll(): void {
    for (const child of this.children.splice(0)) child.kill('SIGKILL');
  }
}

/** A project with this agent in TypeScript, and no server yet. */
export function inProject(agent: string, body: (directory: string) => Promise<void>): Promise<void> {
  return withProject({ 'agent.ts': agent }, async (directory) => {
    const stateDir = join(directory, 'state');
    await mkdir(stateDir);
    await symlink(testPlaces().binDir, join(stateDir, 'bin'));
    try {
      await body(directory);
    } finally {
      await stopEmbeddedServer(stateDir);
    }
  });
}
