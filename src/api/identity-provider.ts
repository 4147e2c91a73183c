import { dirname, resolve } from 'node:path';
import { isJsonObject, type JsonValue } from '../contract/json.js';
import { HoldfastError } from '../contract/error-codes.js';
import { readJsonFile } from '../read-json-file.js';
import { compileSchema } from '../registry/schema-validator.js';
import { isLoopback } from './loopback.js';
import type { Role } from './token-record.js';

/** Asymmetric ones alone: by a symmetric one, whoever can check a token can make one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

/** Whose JWTs are taken, and what they say here (`api:auth`). */
export interface IdentityProvider {
  /** The claim `iss`, exactly. */
  readonly issuer: string;
  /** One that the claim `aud` must hold. */
  readonly audience: string;
  /** Where its keys are, or those keys themselves. */
  readonly keys: { readonly url: URL } | { readonly jwks: JsonValue };
  readonly algorithms: readonly string[];
  /** The claim that names who asks, as `NAME_PATTERN` says. */
  readonly nameClaim: string;
  /** The claim whose values give roles. */
  readonly rolesClaim: string;
  /** By role, the values of which one gives it. */
  readonly roles: Readonly<Partial<Record<Role, readonly string[]>>>;
  readonly clockToleranceSeconds: number;
}

const TEXT = { type: 'string', minLength: 1, maxLength: 2048 } as const;
const VALUES = { type: 'array', minItems: 1, items: TEXT } as const;
const DEFAULT_TOLERANCE_SECONDS = 5;

const fault = compileSchema({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['issuer', 'audience', 'algorithms', 'nameClaim', 'rolesClaim', 'roles'],
  properties: {
    issuer: TEXT,
    audience: TEXT,
    jwksUrl: TEXT,
    jwksFile: TEXT,
    algorithms: { type: 'array', minItems: 1, items: { enum: [...ALGORITHMS] } },
    nameClaim: TEXT,
    rolesClaim: TEXT,
    roles: {
      type: 'object',
      minProperties: 1,
      properties: { operator: VALUES, approver: VALUES, auditor: VALUES },
      additionalProperties: false,
    },
    clockToleranceSeconds: { type: 'integer', minimum: 0, maximum: 60 },
  },
  additionalProperties: false,
});

const GUARDED = { hint: 'README shows one', guarded: true } as const;

interface Written extends Omit<IdentityProvider, 'keys' | 'clockToleranceSeconds'> {
  readonly jwksUrl?: string;
  readonly jwksFile?: string;
  readonly clockToleranceSeconds?: number;
}

/**
 * The identity provider of a JSON file. Its keys are at `jwksUrl`, https unless on this machine, or in `jwksFile`,
 * relative to the file. Throws HoldfastError `invalid_config`, which repeats no value, for anything else than it should
 * hold and for a file that others may change: whoever writes it says who is let in.
 */
export async function readIdentityProvider(file: string): Promise<IdentityProvider> {
  const value = await readJsonFile(file, { ...GUARDED, what: 'file of the identity provider' });
  const wrong = fault(value);
  if (wrong !== undefined) throw invalid(`The file of the identity provider does not fit. ${wrong.text}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just said so
  const { jwksUrl, jwksFile, ...rest } = value as unknown as Written;
  if ((jwksUrl === undefined) === (jwksFile === undefined)) {
    throw invalid('The identity provider needs jwksUrl or jwksFile, and not both.');
  }
  const keys =
    jwksUrl === undefined
      ? {
          jwks: publicKeys(
            await readJsonFile(resolve(dirname(file), jwksFile ?? ''), { ...GUARDED, what: 'JWKS file' }),
          ),
        }
      : { url: urlOf(jwksUrl) };
  return { clockToleranceSeconds: DEFAULT_TOLERANCE_SECONDS, ...rest, keys };
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url?.protocol !== 'https:' &&
    !(url?.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
  ) {
    throw invalid('jwksUrl must be an https URL; http is taken on this machine alone.');
  }
  if (url.username || url.password) throw invalid('jwksUrl must not hold credentials; keys are public.');
  return url;
}

/** Private and symmetric keys have no place in it. */
const SECRET_PARTS = ['d', 'k'];

function publicKeys(jwks: JsonValue): JsonValue {
  const keys = isJsonObject(jwks) ? jwks['keys'] : undefined;
  const good =
    Array.isArray(keys) &&
    keys.length > 0 &&
    keys.every((key) => isJsonObject(key) && !SECRET_PARTS.some((part) => Object.hasOwn(key, part)));
  if (!good)
    throw invalid('The JWKS file must hold { "keys": [...] } with one public key or more, and no other.');
  return jwks;
}

function invalid(text: string): HoldfastError {
  return new HoldfastError('invalid_config', text);
}
