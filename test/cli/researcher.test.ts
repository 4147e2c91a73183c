import { describe, expect, it, vi } from 'vitest';
import { loadAgents } from '../../src/cli/load-agents.js';

describe('the agent of the compose file', () => {
  it('is an agent module that only reads, with the model that the environment names [surface:default]', async () => {
    vi.stubEnv('HOLDFAST_MODEL_BASE_URL', 'http://127.0.0.1:1/v1');
    vi.stubEnv('HOLDFAST_MODEL', 'some-model');
    try {
      const agents = await loadAgents(['dist/examples/researcher/agent.js']);
      expect(agents).toMatchObject([
        {
          name: 'researcher',
          workspace: '/workspace',
          enableWriteTools: false,
          model: { id: expect.stringContaining('some-model') },
        },
      ]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
