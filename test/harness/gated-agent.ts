import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolDef } from '../../src/contract/tool.js';
import { ScriptedModel, type ScriptedAnswer } from '../../src/models/scripted-model.js';
import { defineAgent, type Agent, type AgentOptions } from '../../src/registry/define-agent.js';
import { defineTool } from '../../src/registry/define-tool.js';
import type { Tool } from '../../src/registry/tool.js';
import type { TranscriptStore } from '../../src/transcript/store.js';
import type { Gates } from './gates.js';

/** What runs took place: a line for each attempt of a tool, and a line for each effect. */
export const ATTEMPTS_FILE = 'attempts.txt';
export const EFFECTS_FILE = 'effects.txt';

/** How soon a worker that was killed in a tool is noticed, with room for a busy machine. Milliseconds. */
const HEARTBEAT_MS = 2_000;

/**
 * An agent whose model and tools wait at gates: its turns at `turn-<n>`, before they answer, and its tools at
 * the gate of their line, after their effect.
 */
export function gatedAgent(
  name: string,
  workspace: string,
  script: readonly ScriptedAnswer[],
  gates: Gates,
  policies: Partial<Pick<AgentOptions, 'approvalTimeoutMs'>>,
): Agent {
  return defineAgent({
    name,
    instructions: 'Test.',
    workspace,
    model: new ScriptedModel(
      script.map((answer, turn) => async () => {
        await gates.pass(`turn-${turn}`);
        return answer;
      }),
    ),
    customTools: [
      appending('append', gates, { riskLevel: 'safe' }),
      appending('append_once', gates, { riskLevel: 'safe', idempotent: true }),
      appending('append_asked', gates, { riskLevel: 'mutation' }),
    ],
    ...policies,
  });
}

function appending(name: string, gates: Gates, kind: Pick<ToolDef, 'riskLevel' | 'idempotent'>): Tool {
  const parameters = {
    type: 'object',
    required: ['line'],
    properties: { line: { type: 'string' } },
    additionalProperties: false,
  } as const;
  return defineTool(
    { name, description: 'Appends a line.', parameters, heartbeatMs: HEARTBEAT_MS, ...kind },
    async ({ line }, { workspace, idempotencyKey, attempt }) => {
      const effects = join(workspace.root, EFFECTS_FILE);
      const effect = `${line} ${idempotencyKey}\n`;
      await appendFile(join(workspace.root, ATTEMPTS_FILE), `${line} ${idempotencyKey} ${attempt}\n`);
      const before = await readFile(effects, 'utf8').catch(() => '');
      if (!kind.idempotent || !before.includes(effect)) await appendFile(effects, effect);
      await gates.pass(line);
      return `appended ${line}`;
    },
  );
}

/** Waits at the gate `transcript` before it is read: the first thing that a model call does. */
export function gatedStore(store: TranscriptStore, gates: Gates): TranscriptStore {
  return {
    put: (value) => store.put(value),
    get: async (digest) => {
      await gates.pass('transcript');
      return store.get(digest);
    },
  };
}
