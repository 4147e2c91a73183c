import type { ObjectSchema } from '../contract/tool.js';
import type { Tool, ToolResult } from '../registry/tool.js';
import type { Adoption } from './adoption.js';
import { textsOf } from './texts-of.js';

/** As much of a Pi-style tool as is used. Its schema may be one of TypeBox. */
export interface PiTool {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  readonly parameters: object;
  execute(toolCallId: string, params: never, signal?: AbortSignal): unknown;
}

/**
 * Adopts a Pi-style tool. It is run with the call's idempotency key for its id, the arguments as they were
 * validated, each path canonical, and the call's abort signal; progress is not reported. It fails by throwing, as
 * Pi's do. Of its content the texts are kept; of an image is told that there was one. Nothing is judged yet: a
 * worker that takes the tool up does that.
 */
export function piTool(tool: PiTool, adoption: Adoption = {}): Tool {
  const { name, label, description, parameters } = tool;
  return {
    origin: 'foreign',
    def: {
      name,
      description,
      ...(label !== undefined && { label }),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- judged at registration, as any schema
      parameters: parameters as ObjectSchema,
      ...adoption,
    },
    handler: async (args, { idempotencyKey, signal }) =>
      withTexts(await tool.execute(idempotencyKey, args, signal)),
  };
}

/** Anything but a list of parts is judged like any handler's result (`tool:handler-result`). */
function withTexts(result: unknown): ToolResult {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a handler returns is never trusted
  if (!hasContent(result)) return result as ToolResult;
  return { ...result, content: [{ type: 'text', text: textsOf(result.content) }] };
}

function hasContent(result: unknown): result is { readonly content: readonly unknown[] } {
  return (
    typeof result === 'object' && result !== null && 'content' in result && Array.isArray(result.content)
  );
}
