import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, Runtime, type NativeConnectionPlugin, type WorkerPlugin } from '@temporalio/worker';
import {
  createWorker,
  defineAgent,
  defineTool,
  FileTranscriptStore,
  KeyDirectory,
  ScriptedModel,
} from 'holdfast';
import { EFFECTS } from './effects.js';

// The worker of `waiting-runs.ts`, in a process of its own: it can be measured, and killed.
const [address = '', directory = '', cached = ''] = process.argv.slice(2);

Runtime.install({ logger: new DefaultLogger('ERROR') });
process.on('disconnect', () => process.exit());
const evicting: NativeConnectionPlugin & WorkerPlugin = {
  name: 'evicting',
  configureWorker: (options) => ({ ...options, maxCachedWorkflows: Number(cached) }),
};
const note = defineTool(
  {
    name: 'note',
    description: 'Notes that it ran.',
    riskLevel: 'mutation',
    parameters: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' } },
      additionalProperties: false,
    },
  },
  async ({ text }, { idempotencyKey }) => {
    await appendFile(join(directory, EFFECTS), `${idempotencyKey}\n`);
    return text;
  },
);
const worker = await createWorker({
  agents: [
    defineAgent({
      name: 'waiting',
      instructions: 'Note it.',
      workspace: join(directory, 'workspace'),
      model: new ScriptedModel([
        { text: 'I note it.', calls: [{ tool: 'note', args: { text: 'x'.repeat(2000) } }] },
        { text: 'Done.' },
      ]),
      customTools: [note],
    }),
  ],
  transcript: new FileTranscriptStore(join(directory, 'transcript')),
  trustedKeys: new KeyDirectory(directory).trusted,
  connection: { address, plugins: [evicting] },
});
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
process.send?.('ready');
await worker.run();
