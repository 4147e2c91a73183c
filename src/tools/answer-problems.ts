import { ToolOutcome } from '../contract/tool.js';
import type { ToolHandler } from '../registry/tool.js';
import { FileProblem } from '../workspace/file-problem.js';

/** Gives the model the text of a FileProblem as the outcome `error`. Every other throw passes through. */
export function answerProblems<Args>(handler: ToolHandler<Args>): ToolHandler<Args> {
  return async (args, context) => {
    try {
      return await handler(args, context);
    } catch (error) {
      if (error instanceof FileProblem) return ToolOutcome.error(error.message);
      throw error;
    }
  };
}
