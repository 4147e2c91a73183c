import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import {
  approveAll,
  connect,
  firstAgent,
  firstWorker,
  start,
} from '../../examples/first-agent/first-agent.js';
import { ScriptedModel } from '../../src/models/scripted-model.js';

describe('the example of the library', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    await mkdir(join(directory, 'workspace', 'old'), { recursive: true });
    await writeFile(join(directory, 'workspace', 'notes.txt'), 'x\n');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('stands in README as it is', async () => {
    const code = await readFile('examples/first-agent/first-agent.ts', 'utf8');
    expect(await readFile('README.md', 'utf8')).toContain(`\n\`\`\`ts\n${code}\`\`\`\n`);
  });

  it('moves a file once somebody has approved it [tool:path-args]', async () => {
    const address = inject('temporalAddress');
    const args = { from: 'notes.txt', to: 'old/notes.txt' };
    const model = new ScriptedModel([{ calls: [{ tool: 'move', args }] }, { text: 'Moved.' }]);
    const agent = firstAgent(model, join(directory, 'workspace'));
    const worker = await firstWorker(agent, address, join(directory, 'state'));
    const working = worker.run();
    const client = await connect(address, join(directory, 'state'));
    try {
      const runId = await start(client);
      await vi.waitFor(async () => expect(await client.pending(runId)).toHaveLength(1), { timeout: 30_000 });
      await approveAll(client, runId);
      expect(await client.result(runId)).toMatchObject({ status: 'done', text: 'Moved.' });
      expect(await readFile(join(directory, 'workspace', 'old', 'notes.txt'), 'utf8')).toBe('x\n');
    } finally {
      await client.close();
      worker.shutdown();
      await working;
    }
  });
});
