import { Context } from '@temporalio/activity';
import type { ExecuteToolInput, HoldfastActivities } from '../src/contract/activities.js';
import type { ExecutionResult, JudgedPath } from '../src/contract/call.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { basisOf } from '../src/policy/preview-basis.js';
import { stricter } from '../src/policy/risk.js';
import { PreconditionChangedError } from '../src/registry/precondition-changed-error.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import { guardArguments } from '../src/workspace/guard-arguments.js';
import { PathChangedError } from '../src/workspace/path-changed-error.js';
import { approvalsFault, type ApprovalEvidence } from './check-approvals.js';
import { capOutput, fits } from './cap-output.js';
import { authorizationFault, bindingFault } from './check-binding.js';
import { asActivityFailure } from './failures.js';
import { accessOf, protecting } from './guard-paths.js';
import { heartbeating } from './heartbeating.js';
import { executeHandler, type ReadyCall } from './execute-handler.js';
import { keepWholeOutput } from './keep-whole-output.js';
import { runPreview } from './preview-tool-call.js';
import { errorEnd, type ToolEnd } from './tool-end.js';

export interface ExecuteToolDeps extends ApprovalEvidence {
  readonly agentOf: (name: string) => Pick<HostedAgent, 'registry' | 'workspace'>;
}

/**
 * The one place where a tool runs (`run:activities`). Trusts no earlier answer: takes the digest anew, asks
 * the current schema and the guard again, verifies the signatures by which it is allowed, and runs nothing when anything differs from what was checked and
 * allowed. Whatever the tool does is an outcome, after one attempt; thrown are cancellation, a
 * RetryableToolError of an idempotent tool while attempts remain, and faults of the worker itself. The output
 * is in the transcript store before the result is given.
 */
export function createExecuteTool(deps: ExecuteToolDeps): HoldfastActivities['executeTool'] {
  return async (input) => {
    const context = Context.current();
    try {
      return await heartbeating(context, async () => {
        const ready = await prepare(deps, input);
        const end = 'status' in ready ? ready : await executeHandler(context, ready);
        return await record(deps.transcript, end, input);
      });
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

async function prepare(deps: ExecuteToolDeps, input: ExecuteToolInput): Promise<ReadyCall | ToolEnd> {
  const { registry, workspace } = deps.agentOf(input.agent);
  const { workflowExecution } = Context.current().info;
  if (workflowExecution?.workflowId !== input.runId) return refused('it is a call of another run');
  const mismatch = bindingFault(input);
  if (mismatch !== undefined) return refused(mismatch);
  const current = registry.get(input.tool);
  if (!current)
    return errorEnd(
      'tool_unavailable',
      'This tool is no longer available; it did not run. Go on without it.',
    );
  const { manifest } = current;
  const riskLevel = stricter(input.validation.riskLevel, manifest.riskLevel);
  const beyond = authorizationFault(input.authorization, riskLevel);
  if (beyond !== undefined) return refused(beyond);
  const unproven = await approvalsFault(deps, input);
  if (unproven !== undefined) return refused(unproven);
  const fault = current.validate(input.args);
  if (fault !== undefined) {
    return errorEnd(
      'invalid_args',
      `The tool has changed since the call was checked; it did not run. ${fault.text}`,
    );
  }
  const protectedWorkspace = protecting(workspace, input.protectedPaths);
  const pathArgs = [...new Set([...input.execution.pathArgs, ...manifest.pathArgs])];
  const guarded = await guardArguments(protectedWorkspace, pathArgs, input.args, accessOf(riskLevel));
  if (!guarded.allowed) {
    // What was allowed before and is refused now has changed, unless another argument is a path by now.
    const changed = pathArgs.length === input.execution.pathArgs.length;
    return changed
      ? errorEnd('path_changed', pathChanged(guarded.text))
      : errorEnd(guarded.code, guarded.text);
  }
  if (!holds(guarded.paths, input.guard.paths)) {
    return errorEnd('path_changed', new PathChangedError().message);
  }
  // What a handler does to its arguments is no part of what is told of the call.
  const args = structuredClone(guarded.args);
  const ready = { input, current, workspace: protectedWorkspace, args };
  return (await changedSince(ready)) ? errorEnd('precondition_changed', CHANGED) : ready;
}

const CHANGED = new PreconditionChangedError().message;

/** True when what the approver's preview rests on is another by now, or cannot be told (`hitl:preview`). */
async function changedSince({ input, current, workspace, args }: ReadyCall): Promise<boolean> {
  const { authorization } = input;
  if (authorization.kind !== 'decision' || authorization.basis === undefined) return false;
  if (!current.preview) return true;
  const now = await runPreview({ preview: current.preview, workspace, args });
  return basisOf(now) !== authorization.basis;
}

/** True when every path that was judged before still leads to the same place (`path:at-use`). */
function holds(now: readonly JudgedPath[], before: readonly JudgedPath[]): boolean {
  return before.every(({ argument, relative }) =>
    now.some((path) => path.argument === argument && path.relative === relative),
  );
}

function pathChanged(why: string): string {
  return `The files have changed since the call was checked. ${why}`;
}

function refused(why: string): ToolEnd {
  return errorEnd(
    'binding_mismatch',
    `The tool did not run: ${why}. Ask for the call again if it is still needed.`,
  );
}

/** The output as the model reads it, stored before it is reported. An edit is told before it (`hitl:edit-told`). */
async function record(
  transcript: TranscriptStore,
  end: ToolEnd,
  { authorization, args, execution }: ExecuteToolInput,
): Promise<ExecutionResult> {
  const edited = authorization.kind === 'decision' && authorization.decision === 'edit';
  const { maxOutputBytes, keepWholeOutput: keep = false } = execution;
  const kept =
    keep && !fits(end.text, maxOutputBytes) ? await keepWholeOutput(transcript, end.text) : undefined;
  const shown = capOutput(end.text, maxOutputBytes, kept?.words);
  const text = (edited ? MODEL_TEXTS.edited(args) : '') + shown;
  const output = await transcript.put({ text });
  return { ...end, text, output, ...(kept?.whole && { whole: kept.whole }) };
}
