import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A project that has the built Holdfast as a dependency, with these files; removed after the body. */
export async function withProject<T>(
  files: Readonly<Record<string, string>>,
  body: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  try {
    await mkdir(join(directory, 'node_modules'));
    await symlink(resolve('.'), join(directory, 'node_modules', 'holdfast'));
    await mkdir(join(directory, 'workspace'));
    for (const [path, text] of Object.entries(files)) await writeFile(join(directory, path), text);
    return await body(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}
