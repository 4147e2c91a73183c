import type { BudgetExtension, Control } from '../contract/control.js';
import { codeOfType } from '../contract/error-codes.js';
import type { EventCall, RunEventBody } from '../contract/events.js';
import type { TimelineChange } from './timeline-change.js';
import { isAccepted, refusalOf, type CallRecord, type RunEnd } from './timeline.js';

// What a history holds is untrusted, so that nothing but names, sizes, codes and digests is taken from it.

/** What one change tells by itself. */
export function bodiesOf(change: TimelineChange): readonly RunEventBody[] {
  switch (change.kind) {
    case 'started': {
      const { agent, prompt } = change.request;
      return [{ type: 'run_start', agent: named(agent), promptBytes: bytesOf(prompt) }];
    }
    case 'prepared': {
      const { agent, modelId, tools } = change.manifest;
      const { manifestDigest } = change;
      const names = tools.map(({ name }) => name);
      return [{ type: 'run_prepared', agentVersion: agent.version, modelId, tools: names, manifestDigest }];
    }
    case 'asked':
      return [{ type: 'turn_start', turn: change.turn.turn }];
    case 'answered': {
      const { turn, calls, text, usage, finishReason = 'other' } = change.turn;
      const toolNames = calls.map(({ proposed }) => named(proposed.tool));
      return [{ type: 'model_answered', turn, toolNames, textBytes: bytesOf(text), finishReason, usage }];
    }
    case 'checked': {
      const verdict = change.call.validation?.value;
      if (verdict?.valid !== true) return [];
      const { riskLevel, argsDigest } = verdict;
      return [{ type: 'tool_checked', ...callIn(change.call), riskLevel, argsDigest }];
    }
    case 'judged':
      return judgedBody(change);
    case 'announcing':
      return change.announcement.type === 'approval.escalated'
        ? [{ type: 'approval_escalated', ...callIn(change.call) }]
        : [];
    case 'announced': {
      const { type, webhook, delivered = false, attempts } = change.announcement;
      const about = { announcement: type, webhook: named(webhook), delivered, attempts };
      return [{ type: 'approval_announced', ...callIn(change.call), ...about }];
    }
    case 'executing':
      return startBody(change.call);
    case 'outcome':
      return [outcomeBody(change.call)];
    case 'controlled':
      return [controlBody(change.control)];
    case 'exhausted':
      return exhaustedBody(change);
    case 'ended':
      return [endBody(change.end)];
    case 'continued':
      return [];
  }
}

/** The call as events name it. */
export function callIn({ key, proposed }: CallRecord): EventCall {
  return { turn: key.turn, index: key.index, toolName: named(proposed.tool) };
}

export function endBody(end: RunEnd): RunEventBody {
  if (end.status === 'completed') {
    const { status = 'done', exhausted } = end.result ?? {};
    return { type: 'run_end', status, ...(exhausted && { exhausted }) };
  }
  if (end.status !== 'failed') return { type: 'run_end', status: end.status };
  const exhausted = end.result?.exhausted;
  return {
    type: 'run_end',
    status: 'failed',
    code: codeOfType(end.type) ?? 'internal_error',
    ...(exhausted && { exhausted }),
  };
}

function judgedBody({
  decision,
  call,
}: Extract<TimelineChange, { kind: 'judged' }>): readonly RunEventBody[] {
  const { via, remaining = 0 } = decision;
  const refusal = refusalOf(decision);
  if (refusal) {
    const { code } = refusal;
    const approver = decision.decision?.approver;
    const from = { via, ...(approver !== undefined && { approver }), ...(call && { call: callIn(call) }) };
    return [{ type: 'approval_refused', code, ...from }];
  }
  if (!call || !decision.decision || !isAccepted(decision)) return [];
  const { decision: what, scope = 'once', approver, decisionId } = decision.decision;
  const about = { decision: what, scope, approver, decisionId, via };
  return [{ type: 'approval_decided', ...callIn(call), ...about, ...(remaining > 0 && { remaining }) }];
}

function startBody(call: CallRecord): readonly RunEventBody[] {
  const { execution } = call;
  if (!execution) return [];
  const { argsDigest, authorization } = execution;
  const { kind } = authorization;
  const approver = authorization.kind === 'free' ? undefined : authorization.approver;
  const allowed = { authorization: kind, ...(approver !== undefined && { approver }) };
  return [{ type: 'tool_execution_start', ...callIn(call), argsDigest, ...allowed }];
}

function outcomeBody(call: CallRecord): RunEventBody {
  const { execution, outcome } = call;
  const { status = 'cancelled', code } = outcome ?? {};
  const about = { ...callIn(call), ...(code && { code }) };
  if (!execution || status === 'denied' || status === 'expired') {
    return { type: 'tool_not_executed', ...about, status: status === 'ok' ? 'cancelled' : status };
  }
  const { attempts, ended, scheduled, end } = execution;
  const output = end && 'text' in end ? { outputDigest: end.output, outputBytes: bytesOf(end.text) } : {};
  return {
    type: 'tool_execution_end',
    ...about,
    isError: status === 'error',
    status,
    attempts,
    durationMs: ended ? ended.at - scheduled.at : 0,
    ...output,
  };
}

function exhaustedBody({
  budget,
  onExhausted,
}: Extract<TimelineChange, { kind: 'exhausted' }>): readonly RunEventBody[] {
  if (budget === null) return [];
  return [{ type: 'budget_exhausted', budget, ...(onExhausted && { onExhausted }) }];
}

function controlBody(control: Control): RunEventBody {
  const { by } = control;
  switch (control.action) {
    case 'pause':
      return { type: 'run_paused', by };
    case 'resume':
      return { type: 'run_resumed', by };
    case 'message':
      return { type: 'run_message', by, textBytes: bytesOf(control.text) };
    case 'revoke':
      return { type: 'grant_revoked', toolName: named(control.tool), by };
    case 'extendBudget':
      return { type: 'budget_extended', by, add: extensionIn(control.add) };
  }
}

function extensionIn({ maxErrorsPerTool, ...numbers }: BudgetExtension): BudgetExtension {
  if (!maxErrorsPerTool) return numbers;
  const tools = Object.entries(maxErrorsPerTool).map(([tool, by]) => [named(tool), by] as const);
  return { ...numbers, maxErrorsPerTool: Object.fromEntries(tools) };
}

function named(name: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : '?';
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
