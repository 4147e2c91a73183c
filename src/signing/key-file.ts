import { readFile } from 'node:fs/promises';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { HoldfastError } from '../contract/error-codes.js';
import { isJsonObject } from '../contract/json.js';
import type { DecisionSigner } from '../contract/signed-decision.js';
import { isOpenToOthers, replacePrivately } from '../private-file.js';
import { signDecision } from './sign-decision.js';

/** An Ed25519 pair, just made. */
export interface NewKey {
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  /** `x` of the public key (RFC 8037), base64url. */
  readonly publicKey: string;
  /** The private JWK. Secret: never log it. */
  readonly secret: JWK;
}

export async function newKey(): Promise<NewKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const secret = await exportJWK(privateKey);
  return { keyId: await calculateJwkThumbprint(secret), publicKey: secret.x ?? '', secret };
}

/** Writes a private key so that only its owner reads it; at once as a whole, over what was there. */
export async function writeKey(file: string, { secret }: NewKey): Promise<void> {
  await replacePrivately(file, `${JSON.stringify(secret)}\n`);
}

/**
 * The private JWK of a file, or undefined when there is no file. Throws HoldfastError `invalid_config` for one that
 * cannot be read, is open to others than its owner, or is no Ed25519 key.
 */
export async function readKey(file: string): Promise<JWK | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadable(error);
  });
  if (text === undefined) return undefined;
  if (await isOpenToOthers(file)) {
    const how = 'make it mode 0600, and a new key if they may have read it';
    throw new HoldfastError('invalid_config', `A signing key is open to others than its owner: ${how}.`);
  }
  try {
    const key: unknown = JSON.parse(text);
    if (!isPrivateKey(key)) throw unreadable(undefined);
    await importJWK(key, 'EdDSA');
    return key;
  } catch (error) {
    throw error instanceof HoldfastError ? error : unreadable(error);
  }
}

function isPrivateKey(value: unknown): value is JWK {
  if (!isJsonObject(value)) return false;
  return value.kty === 'OKP' && value.crv === 'Ed25519' && typeof value.d === 'string';
}

/** Signs by the key of a file, read for each signature. Throws HoldfastError `invalid_config`, as `readKey` does. */
export function signerOf(file: string): DecisionSigner {
  return {
    sign: async (decision) => {
      const key = await readKey(file);
      if (!key) throw new HoldfastError('invalid_config', 'There is no signing key in the file named.');
      return signDecision(decision, await calculateJwkThumbprint(key), key);
    },
  };
}

function unreadable(cause: unknown): HoldfastError {
  const text = 'A signing key cannot be read: its file must hold the private JWK of an Ed25519 key.';
  return new HoldfastError('invalid_config', text, { cause });
}
