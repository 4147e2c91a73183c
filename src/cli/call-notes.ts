import { countedDecisions } from '../audit/counted-decisions.js';
import type { CallRecord } from '../audit/timeline.js';
import type { Decision } from '../contract/decision.js';
import { callNumber } from '../runs/call-number.js';
import { printableLine } from './printable.js';

const MOST = 200;

type Rows = readonly (readonly string[])[];

// What has no room in the row of a call. Rows of a label and a text.

/** Why the call failed. */
export function causeRows(call: CallRecord): Rows {
  const { outcome } = call;
  const cause = outcome?.status === 'error' ? firstLine(causeOf(call)) : '';
  return cause ? [[`${callNumber(call.key)} ${outcome?.code ?? ''}`, cause]] : [];
}

/** What those said who decided, or what the model was told of a policy that did. */
export function reasonRows(call: CallRecord): Rows {
  const reasons = call.outcome?.byPolicy ? [firstLine(call.told ?? '')] : reasonsIn(call);
  return reasons.filter(Boolean).map((reason) => [`${callNumber(call.key)} reason`, reason]);
}

/** Of several, each with its approver. */
function reasonsIn(call: CallRecord): readonly string[] {
  const decisions = countedDecisions(call).map(({ decision }) => decision);
  return decisions.map((decision) => {
    const reason = reasonIn(decision);
    return reason && decision && decisions.length > 1
      ? `${printableLine(decision.approver, 32)}: ${reason}`
      : reason;
  });
}

/** On one line; empty when there is none. A claim of whoever decided, and untrusted. */
export function reasonIn(decision: Decision | undefined): string {
  return printableLine(decision?.reason ?? '', MOST);
}

/** Where the whole of an output is that the model saw in part (`outcome:size`). */
export function keptRows(call: CallRecord): Rows {
  const end = call.execution?.end;
  const whole = end && 'whole' in end ? end.whole : undefined;
  if (!whole) return [];
  return [
    [`${callNumber(call.key)} kept`, `${String(whole.bytes)} bytes as ${printableLine(whole.digest, 64)}`],
  ];
}

/** What the model was told. */
function causeOf({ validation, guard, execution, told }: CallRecord): string {
  const end = execution?.end;
  if (end && 'text' in end) return end.text;
  if (validation?.value.valid === false) return validation.value.text;
  if (guard?.value.allowed === false) return guard.value.text;
  return told ?? '';
}

function firstLine(text: string): string {
  return printableLine(text.trim().split(/[\r\n]/, 1)[0] ?? '', MOST);
}
