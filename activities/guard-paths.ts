import type { ValidCallInput } from '../src/contract/activities.js';
import type { GuardVerdict } from '../src/contract/call.js';
import type { RiskLevel } from '../src/contract/tool.js';
import { isFree } from '../src/policy/risk.js';
import { guardArguments } from '../src/workspace/guard-arguments.js';
import type { Access } from '../src/workspace/protected-paths.js';
import type { Workspace } from '../src/workspace/workspace.js';
import { asActivityFailure } from './failures.js';

export interface GuardPathsDeps {
  readonly agentOf: (name: string) => { readonly workspace: Workspace };
}

/** Judges the paths of a call on the worker that holds its workspace (`run:activities`). */
export function createGuardPaths(deps: GuardPathsDeps) {
  return async function guardPaths(input: ValidCallInput): Promise<GuardVerdict> {
    try {
      return await judgeGuard(deps.agentOf(input.agent).workspace, input);
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

/** The guard's answer as the history records it: with what it was for, and canonical relative paths only. */
export async function judgeGuard(
  workspace: Workspace,
  call: Omit<ValidCallInput, 'agent' | 'tool'>,
): Promise<GuardVerdict> {
  const { requestKey, argsDigest, pathArgs, args, riskLevel } = call;
  const verdict = await guardArguments(
    protecting(workspace, call.protectedPaths),
    pathArgs,
    args,
    accessOf(riskLevel),
  );
  if (!verdict.allowed) return { ...verdict, requestKey, argsDigest };
  return { allowed: true, requestKey, argsDigest, paths: verdict.paths };
}

/** The workspace, in which what a run recorded as protected is protected too (`risk:pinned`). */
export function protecting(workspace: Workspace, recorded: readonly string[]): Workspace {
  return { ...workspace, protectedPaths: [...new Set([...workspace.protectedPaths, ...recorded])] };
}

/** What a tool of this level may want with a path. */
export function accessOf(riskLevel: RiskLevel): Access {
  return isFree(riskLevel) ? 'read' : 'write';
}
