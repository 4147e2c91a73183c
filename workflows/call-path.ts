import { isCancellation } from '@temporalio/workflow';
import type { CallKey, ProposedCall } from '../src/contract/call.js';
import type {
  CallEnd,
  CallStep,
  CallUnderWay,
  CheckedArguments,
  TurnUnderWay,
} from '../src/contract/turn-under-way.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import type { ApprovalGate } from './approval-gate.js';
import { authorize, ruled, type AuthorizedCall } from './authorize-call.js';
import { cancelled, failed, stopped } from './call-end.js';
import { check, checkedBefore, type CheckedCall } from './check-call.js';
import { execute } from './execute-call.js';
import type { Lane } from './lane.js';
import { callMoved, outcomeRecorded } from './run-state.js';
import type { Run } from './run.js';

/** Where the calls of a turn run. */
export interface Lanes {
  readonly slots: Lane;
  /** For tools that may not run beside others. */
  readonly alone: Lane;
}

/**
 * The way of one call through its turn, from wherever it stands to its end. How far it has come is put into the state
 * before the step ends that brought it there: the run may continue as new right after (`run:continue-as-new`).
 */
export class CallPath {
  private readonly key: CallKey;

  constructor(
    private readonly run: Run,
    private readonly gate: ApprovalGate,
    private readonly turn: TurnUnderWay,
    private readonly lanes: Lanes,
    private readonly index: number,
    private readonly call: CallUnderWay,
  ) {
    this.key = { turn: run.state.turn, index };
  }

  /** Checks it, when that has not been done; what comes next does not hold up the calls behind it. */
  async check(): Promise<CheckedCall | CallEnd | undefined> {
    const { step } = this.call;
    if (step.at !== 'proposed') return undefined;
    return this.inStep(async () => {
      const checked = await this.checkNow(step.call);
      if (isEnd(checked)) return this.record(checked);
      this.move({ at: 'checked', checked: argumentsOf(checked) });
      return checked;
    });
  }

  /** From where `check` left it, or an execution before this one. */
  async goOn(checked: CheckedCall | CallEnd | undefined): Promise<CallEnd> {
    if (checked) return isEnd(checked) ? checked : this.ask(checked);
    const { tool, step } = this.call;
    if (step.at === 'ended') return step.end;
    if (step.at === 'proposed') throw new TypeError('A call goes on before it was checked.');
    const before = checkedBefore(this.run, this.key, tool, step);
    switch (step.at) {
      case 'checked':
        return this.ask(before);
      case 'ruled':
        return this.settle(ruled(this.run, before, step.ruling));
      case 'authorized':
        return this.start({ ...before, authorization: step.authorization });
    }
  }

  private async checkNow(call: ProposedCall): Promise<CheckedCall | CallEnd> {
    const { run, turn } = this;
    if (run.isStopping) return stopped(run);
    if (turn.finishReason === 'length' || turn.finishReason === 'content_filter') {
      return failed('truncated_call', MODEL_TEXTS.truncated);
    }
    return check(run, this.key, call);
  }

  private async ask(checked: CheckedCall): Promise<CallEnd> {
    try {
      return await this.settle(await authorize(this.run, this.gate, checked, this.turn.text));
    } catch (error) {
      return this.endCancelled(error);
    }
  }

  private settle(authorized: AuthorizedCall | CallEnd): Promise<CallEnd> | CallEnd {
    if (isEnd(authorized)) return this.record(authorized);
    const { authorization } = authorized;
    this.move({ at: 'authorized', checked: argumentsOf(authorized), authorization });
    return this.start(authorized);
  }

  private async start(authorized: AuthorizedCall): Promise<CallEnd> {
    const { slots, alone } = this.lanes;
    const inSlot = (): Promise<CallEnd | undefined> =>
      slots.run(() =>
        this.inStep(async () => {
          const end = await execute(this.run, authorized);
          if (end) return this.record(end);
          this.move({ at: 'checked', checked: argumentsOf(authorized) });
          return undefined;
        }),
      );
    // Asked again outside of the lanes: nothing waits behind a person.
    return (await (authorized.tool.parallel ? inSlot() : alone.run(inSlot))) ?? this.ask(authorized);
  }

  private inStep<T>(step: () => Promise<T>): Promise<T | CallEnd> {
    return this.run.steps.do(step).catch((error: unknown) => this.endCancelled(error));
  }

  /** A cancelled call has an outcome too, so that nothing of the turn is left open when the run ends. */
  private endCancelled(error: unknown): CallEnd {
    if (!isCancellation(error)) throw error;
    return this.record(cancelled());
  }

  /** Recorded before the next call of the lane starts, so that a budget used up by one stops the next. */
  private record(end: CallEnd): CallEnd {
    const { run, gate, call } = this;
    this.move({ at: 'ended', end });
    run.apply(outcomeRecorded, call.tool, end.outcome, run.budgets);
    if (run.state.exhausted) gate.withdrawAll();
    return end;
  }

  private move(step: CallStep): void {
    this.run.apply(callMoved, this.index, step);
  }
}

function isEnd(value: CheckedCall | AuthorizedCall | CallEnd): value is CallEnd {
  return 'outcome' in value;
}

function argumentsOf({ requestKey, args, validation, guard }: CheckedCall): CheckedArguments {
  return { requestKey, args, validation, guard };
}
