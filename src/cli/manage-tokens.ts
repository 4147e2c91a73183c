import { issueToken, revokeToken, type TokenWish } from '../api/issue-token.js';
import { readTokens } from '../api/token-file.js';
import { endOf } from '../api/token-record.js';
import { readConfig } from '../config.js';
import { columns } from './columns.js';
import { jsonLine } from './print-json.js';
import type { Terminal } from './terminal.js';

/** Makes a token of the state directory and prints it; standard output holds nothing else. */
export async function createToken(wish: TokenWish, json: boolean, terminal: Terminal): Promise<void> {
  const token = await issueToken(readConfig().stateDir, wish);
  terminal.print(json ? jsonLine({ name: wish.name, token }) : token);
  if (!json) terminal.complain('Keep it safe: it is shown this once.');
}

/** Prints the tokens without their hashes. */
export async function listTokens(json: boolean, terminal: Terminal): Promise<void> {
  const now = Date.now();
  const tokens = (await readTokens(readConfig().stateDir)).map((record) => {
    const { name, roles, createdAt, expiresAt, revokedAt } = record;
    const state = endOf(record, now) ?? 'valid';
    return { name, roles, state, createdAt, expiresAt, revokedAt };
  });
  if (json) return terminal.print(jsonLine({ tokens }));
  if (tokens.length === 0) return terminal.print('No tokens. holdfast token create NAME --role ROLE');
  const rows = tokens.map(({ name, roles, state, createdAt, expiresAt }) => [
    name,
    roles.join(', '),
    state,
    `made ${createdAt}`,
    expiresAt === undefined ? '' : `until ${expiresAt}`,
  ]);
  for (const line of columns(rows)) terminal.print(line);
}

export async function endToken(name: string, json: boolean, terminal: Terminal): Promise<void> {
  await revokeToken(readConfig().stateDir, name);
  terminal.print(json ? jsonLine({ name, state: 'revoked' }) : `Revoked: ${name}.`);
}
