import { defineAgent, type Agent, type Model } from 'holdfast';
import { scriptedDeveloper } from './script.js';

export interface FixADefectOptions {
  /** A directory that holds a copy of `workspace/`; the agent changes it. */
  readonly workspace: string;
  /** Names the task queue too: a worker with another workspace needs another name. Default `fix-a-defect`. */
  readonly name?: string;
  /** Default: a script that plays a developer, so that no model is needed. */
  readonly model?: Model;
}

/** What the agent is asked to do. */
export const PROMPT =
  'Customers who order exactly 10 pieces of an article pay the full price, although the discount starts there. ' +
  'Find the defect, mend it, and add a line under a new heading 1.4.1 of CHANGELOG.md.';

/** An agent that reads freely and asks a person before each change. */
export function fixADefect({
  workspace,
  name = 'fix-a-defect',
  model = scriptedDeveloper(),
}: FixADefectOptions): Agent {
  return defineAgent({
    name,
    version: '1',
    instructions:
      'You mend defects in a small project. Search and read before you change anything, ' +
      'make the smallest change that is right, and say at the end what you did and why.',
    model,
    workspace,
    enableWriteTools: true,
    budgets: { maxTurns: 25 },
  });
}
