import type { JsonObject } from '../contract/json.js';
import type { BudgetName } from '../contract/run.js';

/** What the model reads when Holdfast, or a person, and not a tool, ended its call. */
export const MODEL_TEXTS = {
  /** The reason stands as the person wrote it (`hitl:deny`). */
  denied: (reason: string | undefined): string =>
    `A person declined this call; the tool did not run. ${
      reason === undefined || reason === '' ? 'No reason was given.' : `Their reason: ${reason}`
    }`,
  deniedByPolicy: (reason: string | undefined): string =>
    `The policy of this agent declines such calls, and nobody is asked; the tool did not run. ${
      reason === undefined ? 'No reason was given.' : `The reason: ${reason}`
    } Do not try another way to the same effect.`,
  expired:
    'Nobody decided about this call in time; the tool did not run. This is no fault of the system: ' +
    'do not try another way to the same effect. Go on without it, or say what is left to do.',
  repeated:
    'You have made this very call before, more than once, and it was not run again. Use what it gave then, ' +
    'change the arguments, or go on another way.',
  cancelled: 'The run was cancelled; the tool did not run to its end.',
  interrupted: (idempotent: boolean): string =>
    `The worker was lost while this tool ran${idempotent ? ', more often than it may be tried again' : ''}. ` +
    'It may have run, or may still be running: check its effect before you repeat it.',
  checkFailed: 'This call could not be checked, so the tool did not run. You may try again.',
  executionFailed:
    'The tool could not be run to its end. It may have run: check its effect before you repeat it.',
  budgetStopped: (budget: BudgetName): string =>
    `This call was not run: the run's budget ${budget} is used up.`,
  conclude: (budget: BudgetName): string =>
    `The run's budget ${budget} is used up; no further tool runs. ` +
    'Say in a few sentences what was done, what was not, and what should happen next.',
  /** `hitl:edit-told`. */
  edited: (args: JsonObject, characters = Infinity): string =>
    `A person changed the arguments of this call before it ran. It ran with ${cut(JSON.stringify(args), characters)}\n`,
  truncated:
    'Your answer was cut off before it was complete, so no call of it was run. ' +
    'Ask again with shorter arguments, or in several smaller calls.',
} as const;

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)} (cut)`;
}
