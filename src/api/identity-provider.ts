import { readFile } from 'node:fs/promises';
import { HoldfastError } from '../contract/error-codes.js';
import { compileSchema } from '../registry/schema-validator.js';
import { ROLES, type Role } from './token-record.js';

/** Whose JWTs are taken beside the tokens of the state directory (`api:auth`). */
export interface IdentityProvider {
  /** The claim `iss`, to the letter. */
  readonly issuer: string;
  /** One of the claim `aud`: a token that was made for another service is none for this one. */
  readonly audience: string;
  /** Where its public keys are; https, or http on this machine. */
  readonly jwksUrl: string;
  /** The claim that names a person as histories and policies do. Default `sub`. */
  readonly nameClaim?: string;
  /** The claim that holds what `roles` maps: a text or a list of texts. Default `roles`. */
  readonly rolesClaim?: string;
  /** Which of its values give which role here; a token that has none of them may do nothing. */
  readonly roles: Readonly<Partial<Record<Role, readonly string[]>>>;
}

const text = { type: 'string', minLength: 1, maxLength: 2048 };

const fault = compileSchema({
  type: 'object',
  required: ['issuer', 'audience', 'jwksUrl', 'roles'],
  properties: {
    issuer: text,
    audience: text,
    jwksUrl: text,
    nameClaim: text,
    rolesClaim: text,
    roles: {
      type: 'object',
      minProperties: 1,
      properties: Object.fromEntries(
        ROLES.map((role) => [role, { type: 'array', minItems: 1, items: text }]),
      ),
      additionalProperties: false,
    },
  },
  additionalProperties: false,
});

/**
 * The identity provider that a JSON file describes. Throws HoldfastError `invalid_config` when it cannot be used as it
 * is.
 */
export async function readIdentityProvider(path: string): Promise<IdentityProvider> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw invalid('cannot be read as JSON; correct the file, or unset the variable', cause);
  }
  const wrong = fault(value);
  if (wrong !== undefined) throw invalid(`is not as README says (${wrong.replace(/\.$/, '')})`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just said so
  const provider = value as IdentityProvider;
  if (!isSafe(provider.jwksUrl)) {
    throw invalid('names a jwksUrl that is neither https nor http on this machine');
  }
  return provider;
}

/** Whoever changes the keys on their way changes who may decide. */
function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function invalid(what: string, cause?: unknown): HoldfastError {
  return new HoldfastError('invalid_config', `The file of HOLDFAST_IDENTITY_PROVIDER ${what}.`, { cause });
}
