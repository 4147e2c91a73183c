import { ToolOutcome } from '../contract/tool.js';
import { plainJson } from '../registry/plain-json.js';
import { fieldsOf } from './fields-of.js';
import { textsOf } from './texts-of.js';

/** What a tool returned: a text as it is, anything else as JSON. Throws NotJsonError for what JSON cannot carry. */
export function outcomeOfValue(value: unknown): ToolOutcome {
  return ToolOutcome.ok(jsonText(value));
}

/**
 * What `toModelOutput` gave, by its type: the two kinds of error, a denial and a type that is not known are the
 * outcome error (`tool:handler-result`).
 */
export function outcomeOfOutput(output: unknown): ToolOutcome {
  const { type, value, reason } = fieldsOf(output);
  switch (type) {
    case 'text':
    case 'json':
      return ToolOutcome.ok(jsonText(value));
    case 'content':
      return Array.isArray(value) ? ToolOutcome.ok(textsOf(value)) : unknownOutput();
    case 'error-text':
    case 'error-json':
      return ToolOutcome.error(jsonText(value));
    case 'execution-denied':
      return ToolOutcome.error(typeof reason === 'string' ? reason : 'The tool refused to run.');
    default:
      return unknownOutput();
  }
}

function unknownOutput(): ToolOutcome {
  return ToolOutcome.error('The tool ran, but what it gave for the model is of no known kind.');
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(plainJson(value ?? null));
}
