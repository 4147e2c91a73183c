import { matchToken, type KeptToken } from './match-token.js';
import { readTokens, tokenFileState } from './token-file.js';
import { endOf, type Role } from './token-record.js';

/** Who asks, as the token says. */
export interface Principal {
  readonly name: string;
  /** None: nothing is permitted. */
  readonly roles: readonly Role[];
}

/** Why a token is not taken, for the log: whoever asks is told nothing but that it failed. */
export type TokenFault =
  | 'malformed'
  | 'unknown'
  | 'revoked'
  | 'expired'
  // Of a JWT alone.
  | 'algorithm_not_allowed'
  | 'unknown_key'
  | 'bad_signature'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'not_yet_valid'
  | 'bad_claim'
  | 'bad_name'
  | 'name_taken';

export type Authentication =
  | { readonly principal: Principal }
  | {
      readonly refused: TokenFault;
      /** Whose token it was, once. */
      readonly name?: string;
    };

/** Who a bearer token stands for. */
export interface TokenAuthority {
  /** Throws HoldfastError when it cannot be said, such as `invalid_config`: nobody is let in then. */
  authenticate(token: string): Promise<Authentication>;
}

interface Kept {
  readonly state: string;
  readonly tokens: readonly KeptToken[];
}

/** The tokens of a state directory, read anew whenever their file has changed: a revocation counts at once. */
export class FileTokenAuthority implements TokenAuthority {
  #kept: Kept | undefined;

  constructor(
    private readonly stateDir: string,
    private readonly now: () => number = Date.now,
  ) {}

  async authenticate(token: string): Promise<Authentication> {
    const found = matchToken(token, await this.#current());
    if (!found) return { refused: 'unknown' };
    const { name, roles } = found;
    const end = endOf(found, this.now());
    return end ? { refused: end, name } : { principal: { name, roles } };
  }

  /** Whether a valid token has this name. Throws as `authenticate` does. */
  async hasName(name: string): Promise<boolean> {
    const tokens = await this.#current();
    return tokens.some((record) => record.name === name && !endOf(record, this.now()));
  }

  /** Rejects when the file cannot be read, whatever was kept before; the next request tries again. */
  async #current(): Promise<readonly KeptToken[]> {
    const state = await tokenFileState(this.stateDir);
    if (this.#kept?.state !== state) {
      const tokens = await readTokens(this.stateDir);
      this.#kept = {
        state,
        tokens: tokens.map((record) => ({ ...record, bytes: Buffer.from(record.hash, 'hex') })),
      };
    }
    return this.#kept.tokens;
  }
}
