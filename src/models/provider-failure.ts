import { isJsonObject, type JsonObject } from '../contract/json.js';
import { ModelFailure } from './model.js';
import { retryAfterMs } from './retry-after.js';

/** Statuses below 500 that another attempt may clear: timeout, conflict, too early, too many requests. */
const PASSING = new Set([408, 409, 425, 429]);

const ADVICE: Readonly<Record<number, string>> = {
  400: 'check that the model takes tools and their schemas',
  401: 'check the API key that the worker is configured with',
  402: 'check the account at the provider',
  403: 'check that the API key may use this model',
  404: 'check the base URL and the name of the model',
  413: 'the transcript is larger than the provider takes; start a run with a smaller task',
  422: 'check that the model takes tools and their schemas',
  429: 'the account is limited in its rate or its quota',
};

/** The only words of a provider that are repeated: its texts are untrusted and may hold keys (`model:clean`). */
const KNOWN_TYPES: ReadonlySet<unknown> = new Set([
  'api_error',
  'authentication_error',
  'billing_error',
  'content_filter',
  'content_policy_violation',
  'insufficient_quota',
  'internal_server_error',
  'invalid_api_key',
  'invalid_request_error',
  'model_not_found',
  'not_found_error',
  'overloaded_error',
  'permission_error',
  'rate_limit_error',
  'rate_limit_exceeded',
  'request_too_large',
  'server_error',
  'timeout_error',
  'unsupported_parameter',
  'unsupported_value',
]);

const CONTEXT_TOO_LONG =
  /context_length_exceeded|exceed_context_size|(?:maximum|exceeds?|larger than)\b.{0,40}\bcontext\b|context (?:length|window|size)|prompt is too long|too many (?:input )?tokens/i;

const ERROR_CLASS = /^(?:AI_)?[A-Z][A-Za-z]{0,50}Error$/;

/** Names of AI SDK errors for an answer that is none: cut off, no JSON, or without the parts it must have. */
const UNREADABLE: ReadonlySet<unknown> = new Set([
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_NoContentGeneratedError',
  'AI_TypeValidationError',
]);

/**
 * The one place that judges what a provider threw (`model:failures`). Retryable: 408, 409, 425, 429, 5xx, an
 * answer that cannot be read, and connection faults, with what Retry-After asks for. Final: every other
 * status, and a prompt too long for the model whatever the status. The message holds the status, a known
 * error type and what to do, nothing else of the error.
 */
export function providerFailure(thrown: unknown, now: number): ModelFailure {
  const error = isJsonObject(thrown) ? thrown : {};
  const status = typeof error.statusCode === 'number' ? error.statusCode : undefined;
  if (isContextTooLong(error)) {
    return new ModelFailure(
      `The transcript is longer than the model takes${inBrackets(status, undefined)}: ` +
        'start a run with a smaller task, or use a model with a larger window.',
      false,
    );
  }
  if (UNREADABLE.has(error.name) || (status !== undefined && status < 300)) {
    return new ModelFailure(
      `The provider's answer could not be read${inBrackets(status, undefined)}: check that the base URL is that of the API.`,
      true,
    );
  }
  if (status === undefined) return withoutStatus(error);
  const retryable = status >= 500 || PASSING.has(status);
  const advice =
    ADVICE[status] ?? (retryable ? 'the provider is failing' : "see the provider's documentation");
  return new ModelFailure(
    `The model provider refused the request${inBrackets(status, knownType(error))}: ${advice}.`,
    retryable,
    retryable ? retryAfterMs(error.responseHeaders, now) : undefined,
  );
}

function withoutStatus(error: JsonObject): ModelFailure {
  if (error.isRetryable === true || error.name === 'AbortError' || error.name === 'TimeoutError') {
    return new ModelFailure(
      'The connection to the model provider failed: check the base URL and the network if it lasts.',
      true,
    );
  }
  const name = typeof error.name === 'string' && ERROR_CLASS.test(error.name) ? ` (${error.name})` : '';
  return new ModelFailure(
    `The adapter of the model failed${name}: check the version of the provider's package and its settings.`,
    false,
  );
}

function isContextTooLong(error: JsonObject): boolean {
  const { code, type } = errorData(error);
  return [error.message, code, type].some((text) => typeof text === 'string' && CONTEXT_TOO_LONG.test(text));
}

function knownType(error: JsonObject): string | undefined {
  const { code, type } = errorData(error);
  const known = [code, type].find((name) => KNOWN_TYPES.has(name));
  return typeof known === 'string' ? known : undefined;
}

/** `{ error: { type, code } }`, as OpenAI, Anthropic and what imitates them answer. */
function errorData(error: JsonObject): JsonObject {
  const inner = isJsonObject(error.data) ? error.data.error : undefined;
  return isJsonObject(inner) ? inner : {};
}

function inBrackets(status: number | undefined, type: string | undefined): string {
  if (status === undefined) return '';
  return ` (status ${status}${type === undefined ? '' : `, ${type}`})`;
}
