import { isJsonObject, type JsonObject } from '../contract/json.js';

/**
 * What a payload says that it decides, whether its signature is good or not: a claim, for those who show or name
 * what arrived. Undefined when nothing can be read from it.
 */
export function claimedDecision(payload: unknown): JsonObject | undefined {
  if (!isJsonObject(payload) || typeof payload.jws !== 'string') return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload.jws.split('.')[1] ?? '', 'base64url').toString());
    return isJsonObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}
