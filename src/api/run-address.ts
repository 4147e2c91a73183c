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
