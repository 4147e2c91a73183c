import { createRequire } from 'node:module';
import type { DataConverter } from '@temporalio/common';

/**
 * The JSON-only converter, for every client and worker of Holdfast (`hitl:refused-decision`). The SDK loads it
 * by path, so it is named as the package exports it: as built, whichever way this module itself was loaded.
 */
export const dataConverter: DataConverter = {
  payloadConverterPath: createRequire(import.meta.url).resolve('holdfast/payload-converter'),
};
