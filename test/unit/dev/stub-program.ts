import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A shell script that stands where a program is looked for. Gives its path. */
export async function stubProgram(directory: string, name: string, script: string): Promise<string> {
  const file = join(directory, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

/** Says a version as the Temporal CLI does. */
export function saysVersion(server: string): string {
  return `echo "temporal version 1.2.3 (Server ${server}, UI 2.0.0)"`;
}
