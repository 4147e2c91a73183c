import { expect, it } from 'vitest';
import { withTimeSkipping } from '../harness/temporal.js';

it('the time-skipping server of the tests skips an hour', { timeout: 300_000 }, async () => {
  await withTimeSkipping(async (server) => {
    const before = await server.currentTimeMs();
    await server.sleep('1 hour');
    expect((await server.currentTimeMs()) - before).toBeGreaterThanOrEqual(3600_000);
  });
});
