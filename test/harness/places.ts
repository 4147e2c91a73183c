import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.js';
import type { BinaryPlaces } from '../../src/dev/temporal-binary.js';

/** Where tests look for programs, and where fetched ones stay between runs. */
export function testPlaces(): BinaryPlaces {
  return {
    searchPath: readConfig({ PATH: process.env['PATH'] }).searchPath,
    binDir: fileURLToPath(new URL('../../.holdfast/bin', import.meta.url)),
  };
}
