import type { ExecuteToolInput } from '../src/contract/activities.js';
import type { Authorization } from '../src/contract/call.js';
import type { RiskLevel } from '../src/contract/tool.js';
import { argsDigest } from '../src/digest.js';
import { isFree, isGrantable, stricter } from '../src/policy/risk.js';

/**
 * Why an execution does not fit its own verdicts, in words, or undefined (`run:activities`). The digest is
 * taken anew from the arguments that are about to run: what was validated, guarded and approved is what runs.
 */
export function bindingFault(input: ExecuteToolInput): string | undefined {
  const { requestKey, idempotencyKey, runId, call, tool, validation, guard, authorization } = input;
  if (idempotencyKey !== `${runId}:${call.turn}:${call.index}`) return 'its key is that of another call';
  if (!requestKey.startsWith(`${idempotencyKey}:`)) return 'its request is that of another call';
  if (validation.requestKey !== requestKey || validation.tool !== tool)
    return 'it was another call that was validated';
  if (guard.requestKey !== requestKey) return 'it was another call whose paths were judged';
  const digest = digestOfArguments(input);
  if (digest === undefined || validation.argsDigest !== digest)
    return 'its arguments are not those that were validated';
  if (guard.argsDigest !== digest) return 'its arguments are not those whose paths were judged';
  if (authorization.kind !== 'decision') return undefined;
  if (!isRequestOf(authorization.requestKey, requestKey)) return 'it was another call that a person allowed';
  return authorization.argsDigest === digest
    ? undefined
    : 'its arguments are not those that a person allowed';
}

/** Why an authorization does not reach as far as a risk level, in words, or undefined (`risk:pinned`). */
export function authorizationFault(authorization: Authorization, riskLevel: RiskLevel): string | undefined {
  switch (authorization.kind) {
    case 'free':
      if (isFree(riskLevel)) return undefined;
      return `a tool of the level ${riskLevel} asks a person first, and nobody was asked`;
    case 'grant':
      return isFree(riskLevel) || isGrantable(riskLevel)
        ? undefined
        : `no grant covers a tool of the level ${riskLevel}`;
    case 'decision':
      return stricter(authorization.riskLevel, riskLevel) === authorization.riskLevel
        ? undefined
        : `the tool has the level ${riskLevel} by now, and a person was shown ${authorization.riskLevel}`;
  }
}

function digestOfArguments({ salt, args }: ExecuteToolInput): string | undefined {
  try {
    return argsDigest(salt, args);
  } catch {
    return undefined;
  }
}

/** A request's key begins with that of its call; after an edit the call bears the request's own. */
function isRequestOf(decided: string, requestKey: string): boolean {
  return decided === requestKey || decided.startsWith(`${requestKey}:`);
}
