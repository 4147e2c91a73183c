import { join } from 'node:path';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { HoldfastError } from '../contract/error-codes.js';
import type { Decision } from '../contract/decision.js';
import type { DecisionSigner } from '../contract/signed-decision.js';
import { whileLocked } from '../private-file.js';
import { newKey, readKey, writeKey } from './key-file.js';
import { signDecision } from './sign-decision.js';
import { readTrustedKeys, writeTrustedKeys } from './trusted-key-file.js';
import type { TrustedKey } from './trusted-keys.js';

/**
 * The keys of one state directory, in files that only their owner reads: `signing-key.json`, a private JWK, and
 * `trusted.json`, a JWK Set of the public keys whose decisions count there. The first use makes a pair, which
 * signs on behalf of any approver (`attested`), so that the embedded server needs no set-up (`hitl:signed`).
 */
export class KeyDirectory implements DecisionSigner {
  readonly #directory: string;

  constructor(stateDir: string) {
    this.#directory = join(stateDir, 'keys');
  }

  /** Every key that counts or has counted, revoked ones included. Throws HoldfastError `invalid_config`. */
  trusted = (): Promise<readonly TrustedKey[]> => readTrustedKeys(this.#trustedFile);

  /** The compact JWS by the key of this directory, which is made when there is none. */
  sign = async (decision: Decision): Promise<string> => {
    const key = await this.#ownKey();
    return signDecision(decision, await calculateJwkThumbprint(key), key);
  };

  /** The id of the key that signs here, which is made when there is none. */
  async signingKeyId(): Promise<string> {
    return calculateJwkThumbprint(await this.#ownKey());
  }

  /** From now on another key signs; what the old one signs still counts until it is revoked. Gives the new one's id. */
  async rotate(): Promise<string> {
    return calculateJwkThumbprint(await this.#locked(() => this.#makeKey({ anew: true })));
  }

  /**
   * Lets a public key count: as that of one approver, or of a server that signs for many. A known key keeps what
   * is said of it: revoked is revoked.
   */
  async trust(publicKey: string, holder: string | undefined): Promise<TrustedKey> {
    return this.#locked(async () => {
      const keyId = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: publicKey });
      const key: TrustedKey = {
        keyId,
        publicKey,
        ...(holder === undefined ? { kind: 'attested' as const } : { kind: 'held' as const, holder }),
      };
      const known = await this.trusted();
      if (known.some((other) => other.keyId === keyId)) {
        throw new HoldfastError(
          'invalid_config',
          'This key is known already; a revoked one never counts again.',
        );
      }
      await writeTrustedKeys(this.#trustedFile, [...known, key]);
      return key;
    });
  }

  /** Lets a key count no more from now on. Throws HoldfastError `invalid_config` for an unknown one. */
  async revoke(keyId: string): Promise<void> {
    await this.#locked(async () => {
      const known = await this.trusted();
      if (!known.some((key) => key.keyId === keyId)) {
        throw new HoldfastError(
          'invalid_config',
          'No key of this id is known. `holdfast keys list` shows them.',
        );
      }
      const revokedAt = Date.now();
      const revoked = known.map((key) => (key.keyId === keyId ? { revokedAt, ...key } : key));
      await writeTrustedKeys(this.#trustedFile, revoked);
    });
  }

  get #trustedFile(): string {
    return join(this.#directory, 'trusted.json');
  }

  get #keyFile(): string {
    return join(this.#directory, 'signing-key.json');
  }

  async #ownKey(): Promise<JWK> {
    return (await readKey(this.#keyFile)) ?? this.#locked(() => this.#makeKey());
  }

  /** Trusted before it is there to sign: no process signs with what no worker knows. */
  async #makeKey({ anew = false } = {}): Promise<JWK> {
    const present = await readKey(this.#keyFile);
    if (present && !anew) return present;
    const made = await newKey();
    const { keyId, publicKey } = made;
    await writeTrustedKeys(this.#trustedFile, [
      ...(await this.trusted()),
      { keyId, publicKey, kind: 'attested' },
    ]);
    await writeKey(this.#keyFile, made);
    return made.secret;
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    return whileLocked(this.#trustedFile, work);
  }
}
