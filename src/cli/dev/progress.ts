import { pathsOf } from '../../audit/call-paths.js';
import type { TimelineChange } from '../../audit/timeline-change.js';
import { isAccepted, refusalOf, type CallRecord } from '../../audit/timeline.js';
import { isFree } from '../../policy/risk.js';
import { printable, printableLine } from '../printable.js';
import { decisionWords, durationOf, outcomeCell, refusedWords } from '../print-timeline.js';
import type { Colors } from '../terminal.js';

/**
 * What a person sees of a change while the run goes on; no arguments and no outputs (`events:no-args`).
 *
 * @param toolWidth tool names are padded to this.
 */
export function progressLines(change: TimelineChange, colors: Colors, toolWidth = 0): readonly string[] {
  switch (change.kind) {
    case 'started':
    case 'prepared':
    case 'asked':
    case 'executing':
    case 'announcing':
    case 'continued':
      return [];
    case 'exhausted':
      return change.budget === null ? [] : [`    ${colors.yellow(`budget ${change.budget} used up`)}`];
    case 'controlled':
      return [`    ${colors.dim(`${change.control.action} by ${printableLine(change.control.by, 32)}`)}`];
    case 'answered': {
      const { turn, text, calls } = change.turn;
      // The last words are printed whole, at the end.
      const words = calls.length > 0 ? printableLine(text, 200) : 'The model has finished.';
      return [`${colors.dim(String(turn + 1).padStart(2))}  ${words}`];
    }
    case 'checked':
      return mayWait(change) ? [callLine(change.call, 'asks', colors, toolWidth)] : [];
    case 'judged':
      return [judgedLine(change, colors, toolWidth)];
    case 'outcome': {
      if (change.call.outcome?.byPolicy) {
        return [callLine(change.call, colors.yellow('denied by policy'), colors, toolWidth)];
      }
      // The decision's line has said so.
      if (change.call.outcome?.status === 'denied') return [];
      const { text, paint } = outcomeCell(change.call, colors);
      const ran = change.call.execution ? `  ${durationOf(change.call)}` : reasonOf(change.call);
      return [callLine(change.call, `${paint(text)}${colors.dim(ran)}`, colors, toolWidth)];
    }
    case 'announced': {
      const { delivered, webhook } = change.announcement;
      const text = colors.yellow(`the webhook ${printableLine(webhook, 64)} was not told`);
      return delivered ? [] : [callLine(change.call, text, colors, toolWidth)];
    }
    case 'ended':
      return [];
  }
}

/** Whether the call is one that people are asked about, unless a grant covers it. */
function mayWait(change: TimelineChange): boolean {
  const validation = change.kind === 'checked' ? change.call.validation?.value : undefined;
  return validation?.valid === true && !isFree(validation.riskLevel);
}

function callLine(call: CallRecord, what: string, colors: Colors, toolWidth: number): string {
  const tool = printableLine(call.proposed.tool, 24).padEnd(toolWidth);
  const words = [colors.bold(tool), ...pathsOf(call).map(({ relative }) => printable(relative)), what];
  return `    ${words.join('  ')}`;
}

function judgedLine(
  { decision, call }: Extract<TimelineChange, { kind: 'judged' }>,
  colors: Colors,
  toolWidth: number,
): string {
  const refusal = refusalOf(decision);
  const what = refusal
    ? colors.yellow(`a ${refusedWords(decision.decision?.approver, decision.via)}: ${refusal.code}`)
    : isAccepted(decision)
      ? decisionWords(decision)
      : colors.dim(`a decision by ${decision.via} came again`);
  return call ? callLine(call, what, colors, toolWidth) : `    ${what}`;
}

/** What the model was told instead of a result, when a check refused the call. */
function reasonOf({ validation, guard }: CallRecord): string {
  const text =
    validation?.value.valid === false
      ? validation.value.text
      : guard?.value.allowed === false
        ? guard.value.text
        : undefined;
  return text === undefined ? '' : `  ${printableLine(text, 160)}`;
}
