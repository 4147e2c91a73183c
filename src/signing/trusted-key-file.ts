import { readFile } from 'node:fs/promises';
import { calculateJwkThumbprint } from 'jose';
import { HoldfastError } from '../contract/error-codes.js';
import { othersMayWrite, replacePrivately } from '../private-file.js';
import { compileSchema } from '../registry/schema-validator.js';
import type { TrustedKey } from './trusted-keys.js';

/** A JWK Set (RFC 7517) whose keys say under `holdfast` how far they count. */
interface TrustedKeySet {
  readonly keys: readonly {
    readonly kty: 'OKP';
    readonly crv: 'Ed25519';
    readonly x: string;
    readonly kid: string;
    readonly holdfast: Pick<TrustedKey, 'kind' | 'holder' | 'revokedAt'>;
  }[];
}

const fault = compileSchema({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kty', 'crv', 'x', 'kid', 'holdfast'],
        properties: {
          kty: { const: 'OKP' },
          crv: { const: 'Ed25519' },
          x: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
          kid: { type: 'string' },
          // A private key has no business here.
          d: false,
          holdfast: {
            type: 'object',
            required: ['kind'],
            properties: {
              kind: { enum: ['held', 'attested'] },
              holder: { type: 'string', minLength: 1, maxLength: 256 },
              revokedAt: { type: 'integer' },
            },
            additionalProperties: false,
            if: { properties: { kind: { const: 'held' } } },
            then: { required: ['holder'] },
            else: { properties: { holder: false } },
          },
        },
      },
    },
  },
});

/** Reads the keys of a file; none when there is no file. Throws HoldfastError `invalid_config`, naming the fault. */
export async function readTrustedKeys(file: string): Promise<readonly TrustedKey[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new HoldfastError('invalid_config', 'The file of trusted keys cannot be read.', { cause: error });
  });
  if (text === undefined) return [];
  if (await othersMayWrite(file)) {
    throw damaged('others than its owner may write it; make it mode 0600, and look at each key of it');
  }
  const set = parse(text);
  return Promise.all(
    set.keys.map(async ({ x, kid, holdfast }, index) => {
      // What a decision names is the key itself, never a name that somebody gave to another.
      if (Buffer.from(x, 'base64url').toString('base64url') !== x) {
        throw damaged(`keys[${index}].x is not written as it must be, so that its key would have two ids`);
      }
      const keyId = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
      if (kid !== keyId) throw damaged(`keys[${index}].kid is not the thumbprint of its key`);
      return { keyId, publicKey: x, ...holdfast };
    }),
  );
}

/** Replaces the file as a whole. */
export async function writeTrustedKeys(file: string, keys: readonly TrustedKey[]): Promise<void> {
  const set: TrustedKeySet = {
    keys: keys.map(({ keyId, publicKey, ...holdfast }) => {
      return { kty: 'OKP', crv: 'Ed25519', x: publicKey, kid: keyId, holdfast };
    }),
  };
  await replacePrivately(file, `${JSON.stringify(set, undefined, 2)}\n`);
}

function parse(text: string): TrustedKeySet {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged('it is not JSON');
  }
  if (isTrustedKeySet(value)) return value;
  throw damaged(fault(value)?.text ?? 'it is no JWK Set');
}

function isTrustedKeySet(value: unknown): value is TrustedKeySet {
  return fault(value) === undefined;
}

function damaged(what: string): HoldfastError {
  return new HoldfastError(
    'invalid_config',
    `The file of trusted keys is damaged, so no decision counts: ${what}`,
  );
}
