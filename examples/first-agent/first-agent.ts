import { rename } from 'node:fs/promises';
import {
  createWorker,
  decisionFor,
  defineAgent,
  defineTool,
  FileTranscriptStore,
  HoldfastClient,
  KeyDirectory,
  ToolOutcome,
  type Agent,
  type HoldfastWorker,
  type Model,
} from 'holdfast';

// A tool says what it takes, which arguments are paths, and how risky it is: mutation asks a person.
const move = defineTool(
  {
    name: 'move',
    description: 'Move a file inside the workspace.',
    riskLevel: 'mutation',
    parameters: {
      type: 'object',
      properties: { from: { type: 'string' }, to: { type: 'string' } },
      required: ['from', 'to'],
      additionalProperties: false,
    },
    pathArgs: ['from', 'to'],
  },
  async ({ from, to }) => {
    await rename(from, to); // canonical paths inside the workspace by now
    return ToolOutcome.ok('Moved.');
  },
);

export function firstAgent(model: Model, workspace: string): Agent {
  return defineAgent({
    name: 'first-agent',
    instructions: 'Keep order.',
    model,
    workspace,
    customTools: [move],
  });
}

// In a worker's process: `await worker.run()`.
export function firstWorker(agent: Agent, address: string, stateDir: string): Promise<HoldfastWorker> {
  const transcript = new FileTranscriptStore(stateDir);
  const { trusted } = new KeyDirectory(stateDir); // whose decisions count
  return createWorker({ agents: [agent], transcript, trustedKeys: trusted, connection: { address } });
}

// In any process: start a run, and decide about what waits, now or days later. Decisions are signed.
export function connect(address: string, stateDir: string): Promise<HoldfastClient> {
  return HoldfastClient.connect({ connection: { address }, signer: new KeyDirectory(stateDir) });
}

export function start(client: HoldfastClient): Promise<string> {
  return client.start({ agent: 'first-agent', prompt: 'Move notes.txt into old/.' });
}

export async function approveAll(client: HoldfastClient, runId: string): Promise<void> {
  for (const request of await client.pending(runId)) {
    const answer = await client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ann' }));
    if (!answer.counted) console.error(`${answer.code}: ${answer.text}`);
  }
}
