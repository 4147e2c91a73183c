import type { CallErrorCode } from '../src/contract/error-codes.js';
import type { JsonValue } from '../src/contract/json.js';

/** How an execution ended, before its text is capped and stored. */
export type ToolEnd =
  | { readonly status: 'ok'; readonly text: string; readonly details?: JsonValue }
  | {
      readonly status: 'error';
      readonly code: CallErrorCode;
      readonly text: string;
      readonly details?: JsonValue;
    };

export function errorEnd(code: CallErrorCode, text: string): ToolEnd {
  return { status: 'error', code, text };
}
