import type { FinishReason } from '../contract/activities.js';
import type { JsonObject } from '../contract/json.js';
import { ModelFailure, type Model, type ModelRequest, type ModelResponse } from './model.js';

export interface ScriptedCall {
  readonly tool: string;
  /** An object, sent as its JSON, or the raw text of the arguments, which need not be JSON. */
  readonly args: JsonObject | string;
  /** The provider's call id; may be empty or repeated. Default: one of its own for each call. */
  readonly id?: string;
}

export interface ScriptedAnswer {
  /** Default: none. */
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly finishReason?: FinishReason;
  /** Default: not said. */
  readonly usage?: ModelResponse['usage'];
}

/** An answer, a failure to throw, or a function of the request that gives or throws one. */
export type ScriptedTurn =
  | ScriptedAnswer
  | ModelFailure
  | ((request: ModelRequest) => ScriptedAnswer | ModelFailure | Promise<ScriptedAnswer | ModelFailure>);

/**
 * A model that plays a script, for tests and demos (`model:providers`).
 *
 * Which turn it plays follows from the request alone: turn n answers a transcript with n assistant messages.
 * So it has no memory to lose: after a restart of the worker, and in a retried attempt, the same transcript
 * gets the same turn, and a turn that is a ModelFailure fails every attempt at it. A turn that should fail
 * once and then answer is a function. Past the last turn it throws a final ModelFailure, code
 * `model_script_ended`. It never retries.
 */
export class ScriptedModel implements Model {
  readonly id: string;
  readonly #turns: readonly ScriptedTurn[];
  readonly #requests: ModelRequest[] = [];

  /** `id` defaults to `scripted`. */
  constructor(turns: readonly ScriptedTurn[], options: { readonly id?: string } = {}) {
    this.id = options.id ?? 'scripted';
    this.#turns = turns;
  }

  /** Every request to this object, oldest first, those that failed included. */
  get requests(): readonly ModelRequest[] {
    return this.#requests;
  }

  async generate(request: ModelRequest): Promise<ModelResponse> {
    this.#requests.push(request);
    request.signal.throwIfAborted();
    const index = request.messages.filter((message) => message.role === 'assistant').length;
    const turn = this.#turns[index];
    if (!turn) {
      const text = `The script of the model has ${this.#turns.length} turns and was asked for one more: add a turn.`;
      throw new ModelFailure(text, false, undefined, 'model_script_ended');
    }
    const answer = typeof turn === 'function' ? await turn(request) : turn;
    if (answer instanceof ModelFailure) throw answer;
    return responseOf(answer, index);
  }
}

function responseOf(answer: ScriptedAnswer, turn: number): ModelResponse {
  const calls = (answer.calls ?? []).map(({ tool, args, id }, index) => ({
    providerCallId: id ?? `call_${turn}_${index}`,
    tool,
    argsText: typeof args === 'string' ? args : JSON.stringify(args),
  }));
  return {
    text: answer.text ?? '',
    calls,
    finishReason: answer.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: answer.usage ?? {},
  };
}
