import { defineConfig } from 'vitest/config';
import shared from '../vitest.config.js';

// `npm run test:page`: what needs Chromium.
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ['test/page/**/*.test.ts'], exclude: [] },
});
