import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    // They need Chromium, and have a command of their own.
    exclude: ['test/page/**'],
    globalSetup: './test/global-setup.ts',
    pool: 'forks',
    // Each fork runs a worker beside the one server; more of them only wait for each other.
    maxWorkers: 2,
    reporters: ['default', './test/closing-line.ts'],
    // A real server on a busy machine: a limit for what hangs, never a duration that is asserted.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
