import type { TimelineChange } from '../audit/timeline-fold.js';
import { isAccepted, refusalOf, type CallRecord, type RunEnd } from '../audit/timeline.js';
import type { JsonObject } from '../contract/json.js';

/**
 * What a change says to a program: tool names, keys, codes and digests, no arguments and no outputs
 * (`events:no-args`). Turns and indexes are 0-based, as everywhere but in front of a person.
 */
export function changeJson(change: TimelineChange): JsonObject {
  switch (change.kind) {
    case 'prepared': {
      const { agent, modelId, tools } = change.manifest;
      return { event: 'run_prepared', agent: agent.name, modelId, tools: tools.map(({ name }) => name) };
    }
    case 'answered': {
      const { turn, calls, usage, finishReason } = change.turn;
      const tools = calls.map(({ proposed }) => proposed.tool);
      return { event: 'model_answered', turn, tools, usage: { ...usage }, finishReason };
    }
    case 'checked':
      return { event: 'call_checked', ...about(change.call), ...verdictOf(change.call) };
    case 'judged': {
      const { decision, call } = change;
      const { requestKey, decisionId, approver, decision: what } = decision.decision ?? {};
      const judged = { counted: isAccepted(decision), code: refusalOf(decision)?.code };
      const said = { requestKey, decisionId, approver, decision: what, via: decision.via };
      return { event: 'decision', ...(call && about(call)), ...said, ...judged };
    }
    case 'executing':
      return { event: 'tool_execution_start', ...about(change.call) };
    case 'outcome': {
      const { status, code } = change.call.outcome ?? {};
      const isError = status === 'error';
      return { event: 'tool_execution_end', ...about(change.call), isError, status, code };
    }
    case 'ended':
      return { event: 'run_ended', ...endOf(change.end) };
  }
}

function about({ key, proposed }: CallRecord): JsonObject {
  return { turn: key.turn, index: key.index, toolName: proposed.tool };
}

function verdictOf({ validation }: CallRecord): JsonObject {
  if (validation?.value.valid !== true) return {};
  const { requestKey, riskLevel, argsDigest } = validation.value;
  return { requestKey, riskLevel, argsDigest };
}

function endOf(end: RunEnd): JsonObject {
  const { status } = end;
  if (status === 'failed') return { status, code: end.type?.replace(/^holdfast\./, '') };
  return status === 'completed' ? { status, exhausted: end.result?.exhausted } : { status };
}
