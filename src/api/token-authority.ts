import { timingSafeEqual } from 'node:crypto';
import { readTokens, tokenFileState } from './token-file.js';
import { endOf, tokenHash, type Role, type TokenRecord } from './token-record.js';

/** Who asks, as the token says. */
export interface Principal {
  readonly name: string;
  readonly roles: readonly Role[];
}

export type Authentication =
  | { readonly principal: Principal }
  | {
      /** For the log; whoever asks is told nothing but that it failed. */
      readonly refused: 'missing' | 'malformed' | 'unknown' | 'revoked' | 'expired';
      /** Whose token it was, once. */
      readonly name?: string;
    };

/** Who an `authorization` header stands for. */
export interface TokenAuthority {
  /** Throws HoldfastError `invalid_config` when the tokens cannot be read: nobody is let in then. */
  authenticate(authorization: string | undefined): Promise<Authentication>;
}

/** RFC 6750; a longer one is none of ours. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,256}=*) *$/i;

interface Kept {
  readonly state: string;
  readonly tokens: readonly (TokenRecord & { readonly bytes: Buffer })[];
}

/** The tokens of a state directory, read anew whenever their file has changed: a revocation counts at once. */
export class FileTokenAuthority implements TokenAuthority {
  #kept: Kept | undefined;

  constructor(
    private readonly stateDir: string,
    private readonly now: () => number = Date.now,
  ) {}

  async authenticate(authorization: string | undefined): Promise<Authentication> {
    if (authorization === undefined) return { refused: 'missing' };
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return { refused: 'malformed' };
    const { tokens } = await this.#current();
    const hash = tokenHash(token);
    let found: TokenRecord | undefined;
    // All are compared, whichever fits: the time tells nothing of the tokens.
    for (const record of tokens) if (timingSafeEqual(record.bytes, hash)) found = record;
    if (!found) return { refused: 'unknown' };
    const { name, roles } = found;
    const end = endOf(found, this.now());
    return end ? { refused: end, name } : { principal: { name, roles } };
  }

  /** Rejects when the file cannot be read, whatever was kept before; the next request tries again. */
  async #current(): Promise<Kept> {
    const state = await tokenFileState(this.stateDir);
    if (this.#kept?.state === state) return this.#kept;
    const tokens = await readTokens(this.stateDir);
    this.#kept = {
      state,
      tokens: tokens.map((record) => ({ ...record, bytes: Buffer.from(record.hash, 'hex') })),
    };
    return this.#kept;
  }
}
