import type { HoldfastClient } from '../client.js';
import type { ErrorCode } from '../contract/error-codes.js';
import type { JsonObject } from '../contract/json.js';
import type { ObjectSchema } from '../contract/tool.js';
import type { Principal } from './token-authority.js';
import type { Role } from './token-record.js';

/** What a route works with. */
export interface RouteDeps {
  readonly client: HoldfastClient;
  /** How long a worker is waited for before a decision goes as a signal, and a question is given up. Milliseconds. */
  readonly answerMs: number;
  /** Between two signs of life on an event stream, and two looks at whether its token still counts. Milliseconds. */
  readonly heartbeatMs: number;
}

/** A request that has passed: who asks, and what, as the schemas of the route say. */
export interface ApiCall<Params, Query, Body> {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** As the client of an event stream sends it when it comes back. */
  readonly lastEventId: string | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

export type Answer =
  | {
      readonly status: 200 | 201 | 202;
      readonly body: object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly status: 204 }
  /** Server-sent events, frame by frame. */
  | { readonly status: 200; readonly stream: AsyncGenerator<string, void> };

/** A success as OpenAPI tells of it. */
export interface AnswerDoc {
  readonly description: string;
  /** Absent: no body, or an event stream. */
  readonly schema?: JsonObject;
  readonly type?: 'text/event-stream';
}

/** One operation of the API: all that serving and describing it need. */
export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Beneath the prefix; `:name` is a parameter. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** One of them is needed. Absent: open to everybody. */
  readonly roles?: readonly Role[];
  readonly params?: ObjectSchema;
  readonly query?: ObjectSchema;
  /** Judged without coercion; an empty body is `{}`. Absent: no body is taken. */
  readonly body?: {
    readonly name: string;
    readonly schema: ObjectSchema;
    /** The code of what does not fit. */
    readonly fault: ErrorCode;
    /** Looks before the schema does; throws. */
    readonly look?: (body: unknown) => void;
    /** Bytes. Default LIMITS.requestBytes. */
    readonly most?: number;
  };
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** Codes that it answers with, besides those that every route may. */
  readonly refusals: readonly ErrorCode[];
  readonly handle: (call: ApiCall<Params, Query, Body>, deps: RouteDeps) => Promise<Answer>;
}

/** Types what a route handles: its schemas have judged it by then. */
export function route<Params = unknown, Query = unknown, Body = unknown>(
  definition: Route<Params, Query, Body>,
): Route {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing reaches handle but what its schemas let pass
  return definition as unknown as Route;
}
