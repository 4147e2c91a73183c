import { randomBytes } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { HoldfastConfig } from '../../config.js';
import { ENABLE_WRITE_TOOLS, MODEL, MODEL_BASE_URL, STATE_DIR } from '../../config.js';
import { HoldfastError } from '../../contract/error-codes.js';
import { openAiCompatibleModel } from '../../models/openai-compatible.js';
import { defineAgent, type Agent } from '../../registry/define-agent.js';
import { resolveWorkspace } from '../../workspace/resolve-workspace.js';
import type { DevOptions } from '../dev.js';

/** What `holdfast dev` will do. */
export interface DevJob {
  readonly runId: string;
  readonly agent: Agent;
  readonly prompt: string;
  /** Of this run, under the state directory; there. */
  readonly runDir: string;
  readonly isExample: boolean;
  readonly decidedBy: 'person' | 'second process';
}

const EXAMPLE = 'fix-a-defect';

/**
 * Checks the options before anything is started, and copies the example's files. Throws HoldfastError
 * `invalid_config` or `invalid_workspace`. The caller's own files are never changed without somebody who was told to approve: without a
 * terminal that takes --yes.
 */
export async function jobOf(
  options: DevOptions,
  config: HoldfastConfig,
  interactive: boolean,
): Promise<DevJob> {
  const { workspace, prompt, yes = false } = options;
  if ((workspace === undefined) !== (prompt === undefined)) {
    throw new HoldfastError('invalid_config', '--workspace and --prompt go together; give both or neither.');
  }
  if (workspace === '' || prompt?.trim() === '') {
    throw new HoldfastError('invalid_config', '--workspace and --prompt must not be empty.');
  }
  const isExample = workspace === undefined;
  if (!isExample && !config.modelEndpoint) {
    const what = `set ${MODEL_BASE_URL} and ${MODEL}, or leave out --workspace for the example`;
    throw new HoldfastError('invalid_config', `Your own files need a model: ${what}.`);
  }
  if (!isExample && config.enableWriteTools && !interactive && !yes) {
    const what = `add --yes to have every change approved, or unset ${ENABLE_WRITE_TOOLS}`;
    throw new HoldfastError('invalid_config', `There is no terminal to ask on: ${what}.`);
  }
  if (!isExample) await resolveWorkspace(workspace);
  // The name is the task queue's too: a run's tasks must never reach a worker with other files.
  const runId = `${isExample ? EXAMPLE : 'dev'}-${randomBytes(4).toString('hex')}`;
  const runDir = join(config.stateDir, 'runs', runId);
  try {
    await mkdir(runDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const text = `The state directory cannot be written. Set ${STATE_DIR} to a directory of yours.`;
    throw new HoldfastError('invalid_config', text, { cause });
  }
  const common = {
    runId,
    runDir,
    isExample,
    decidedBy: interactive && !yes ? 'person' : 'second process',
  } as const;
  return isExample
    ? { ...common, ...(await example(runId, runDir, config)) }
    : { ...common, agent: ownAgent(runId, workspace, config), prompt: prompt ?? '' };
}

async function example(
  name: string,
  runDir: string,
  config: HoldfastConfig,
): Promise<Pick<DevJob, 'agent' | 'prompt'>> {
  const { fixADefect, PROMPT } = await import('../../../examples/fix-a-defect/agent.js');
  const workspace = join(runDir, 'workspace');
  await cp(exampleFiles(), workspace, { recursive: true });
  return { agent: fixADefect({ name, workspace, ...modelOf(config) }), prompt: PROMPT };
}

function ownAgent(name: string, workspace: string, config: HoldfastConfig): Agent {
  const { model } = modelOf(config);
  if (!model) throw new HoldfastError('invalid_config', 'Your own files need a model.');
  return defineAgent({
    name,
    instructions:
      'You work on the files of one workspace with the tools that you have. Look before you change anything, ' +
      'make the smallest change that does what is asked, and say at the end what you did.',
    model,
    workspace,
    enableWriteTools: config.enableWriteTools,
  });
}

function modelOf({ modelEndpoint }: HoldfastConfig) {
  return modelEndpoint ? { model: openAiCompatibleModel(modelEndpoint) } : {};
}

/** The files stand beside the compiled tree, which copies none. */
function exampleFiles(): string {
  const dist = dirname(createRequire(import.meta.url).resolve('holdfast/workflow-bundle'));
  return join(dirname(dist), 'examples', EXAMPLE, 'workspace');
}
