import { realpathSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from './bundle-workflows.js';

/** Run by `npm run build` after the compiler: writes dist/workflow-bundle.js, whole or not at all. */
const dist = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));
try {
  const code = await bundleWorkflows(dist);
  const file = join(dist, 'workflow-bundle.js');
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, file);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
