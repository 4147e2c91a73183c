import type { ErrorCode } from '../contract/error-codes.js';
import { LIMITS } from '../contract/limits.js';
import type { ObjectSchema } from '../contract/tool.js';

/** No control characters: databases beneath Temporal refuse some of them in ways of their own. */
function text(maxLength: number) {
  return { type: 'string', minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$' } as const;
}

export interface RunParams {
  readonly id: string;
}
export const RUN_PARAMS: ObjectSchema = {
  type: 'object',
  required: ['id'],
  properties: { id: text(LIMITS.runIdCharacters) },
};

export interface RequestParams extends RunParams {
  readonly requestKey: string;
}
export const REQUEST_PARAMS: ObjectSchema = {
  type: 'object',
  required: ['id', 'requestKey'],
  properties: { id: text(LIMITS.runIdCharacters), requestKey: text(LIMITS.keyCharacters) },
};
/** Why the request at such an address cannot be shown. */
export const NO_REQUEST: readonly ErrorCode[] = [
  'unknown_run',
  'unknown_request',
  'request_decided',
  'request_expired',
  'request_withdrawn',
  'no_worker',
];
