import type { Building } from './building.js';
import type { DecisionVerdict } from '../contract/decision.js';
import { isJsonObject } from '../contract/json.js';
import { claimedDecision } from '../signing/claimed-decision.js';
import { isDecision } from './recognise.js';
import type { DecisionRecord, Place } from './timeline.js';

export type BuildingDecision = Building<DecisionRecord>;
type Judged = Exclude<DecisionVerdict, { repeated: true }>;

/** What arrived as decisions, and what became of each. They are judged in the order of their arrival. */
export class DecisionLedger {
  readonly records: DecisionRecord[] = [];
  #unjudged: readonly { readonly record: BuildingDecision; readonly decisionId: string | undefined }[] = [];

  arrive(via: DecisionRecord['via'], payload: unknown, arrived: Place): DecisionRecord {
    const claimed = claimedDecision(payload);
    const record = { via, arrived, ...(isDecision(claimed) && { decision: claimed }) };
    this.records.push(record);
    this.#unjudged = [...this.#unjudged, { record, decisionId: decisionIdIn(claimed) }];
    return record;
  }

  /** The next one could not be judged. */
  skip(): void {
    this.#unjudged = this.#unjudged.slice(1);
  }

  /** The decision that the verdict is over, with it; undefined when none such waits. */
  judge(result: DecisionVerdict, place: Place): BuildingDecision | undefined {
    const judged = result.repeated
      ? this.#unjudged[0]
      : this.#unjudged.find(({ decisionId }) => decisionId === namedBy(result).decisionId);
    if (!judged) return undefined;
    this.#unjudged = this.#unjudged.filter((other) => other !== judged);
    const verdict = { ...place, value: result };
    // What was signed is what was decided, whatever else the payload seems to say.
    const signed = !result.repeated && result.accepted ? { decision: result.decision } : {};
    return Object.assign(judged.record, { verdict, ...signed });
  }
}

/** Which decision a verdict is over, as far as that had a name. */
export function namedBy(
  verdict: Judged,
): Pick<Extract<DecisionVerdict, { accepted: false }>, 'decisionId' | 'requestKey'> {
  return verdict.accepted ? verdict.decision : verdict;
}

function decisionIdIn(payload: unknown): string | undefined {
  return isJsonObject(payload) && typeof payload.decisionId === 'string' ? payload.decisionId : undefined;
}
