import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../contract/error-codes.js';
import type { Principal, TokenFault } from './token-authority.js';
import type { Role } from './token-record.js';

/** What is known of a request besides what it brought: who asks, and why it was refused. */
export interface Told {
  principal?: Principal;
  /** The name of a token that no longer counts. */
  staleName?: string | undefined;
  refused?: TokenFault | 'missing';
  code?: ErrorCode;
  /** The kind of a failure that nobody foresaw, and its stack for debugging; never its message alone. */
  defect?: { readonly name: string; readonly stack: string | undefined };
}

declare module 'fastify' {
  interface FastifyRequest {
    told: Told | undefined;
  }
  interface FastifyContextConfig {
    /** Absent at an address that is none. */
    roles?: readonly Role[] | 'everybody';
  }
}

/** One request, for the log: no address of a run, nothing that a client sent, no token. */
export interface ApiLogLine {
  readonly method: string;
  /** The route's pattern; `-` when there is none. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** The name of the token. */
  readonly token?: string;
  readonly refused?: Told['refused'];
  readonly code?: ErrorCode;
  readonly defect?: Told['defect'];
}

export type ApiLog = (line: ApiLogLine) => void;

const KNOWN_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function logLineOf(request: FastifyRequest, reply: FastifyReply): ApiLogLine {
  const { principal, staleName, refused, code, defect } = request.told ?? {};
  const token = principal?.name ?? staleName;
  return {
    method: KNOWN_METHODS.includes(request.method) ? request.method : '?',
    route: request.routeOptions.url ?? '-',
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    ...(token !== undefined && { token }),
    ...(refused && { refused }),
    ...(code && { code }),
    ...(defect && { defect }),
  };
}
