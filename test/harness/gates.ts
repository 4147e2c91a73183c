import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Places at which a worker process waits until the test lets it go on, so that the moment of a kill is certain.
 * They are files of one directory: all that a test and a process that may be killed can share. Open by default.
 */
export class Gates {
  constructor(private readonly directory: string) {}

  async close(name: string): Promise<void> {
    await writeFile(this.file(name, 'closed'), '');
  }

  async open(name: string): Promise<void> {
    await rm(this.file(name, 'closed'), { force: true });
  }

  /** How often anyone has come to the gate and found it closed. */
  async stops(name: string): Promise<number> {
    const text = await readFile(this.file(name, 'stopped'), 'utf8').catch(() => '');
    return text.length;
  }

  /** Goes through when the gate is open, or once it is opened. */
  async pass(name: string): Promise<void> {
    if (!(await this.isClosed(name))) return;
    await appendFile(this.file(name, 'stopped'), '.');
    while (await this.isClosed(name)) await delay(20);
  }

  private isClosed(name: string): Promise<boolean> {
    return stat(this.file(name, 'closed')).then(
      () => true,
      () => false,
    );
  }

  private file(name: string, state: 'closed' | 'stopped'): string {
    return join(this.directory, `${name}.${state}`);
  }
}
