import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Makes real files, directories and links in a temporary directory that goes away with the test. A name that
 * ends in `/` is a directory; `{ link }` is a link to a target in which `$` stands for the directory itself.
 */
export async function makeTree(
  entries: Record<string, string | Uint8Array | { link: string }>,
): Promise<string> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-tree-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(entries)) {
    const path = join(base, name);
    await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (name.endsWith('/')) continue;
    if (typeof content === 'object' && 'link' in content)
      await symlink(content.link.replace('$', base), path);
    else await writeFile(path, content);
  }
  return base;
}
