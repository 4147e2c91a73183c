import { Command, InvalidArgumentError, Option } from 'commander';
import { ROLES, type Role } from '../api/token-record.js';
import type { CommandOf } from './command-line.js';

interface CreateOptions {
  readonly role: readonly Role[];
  readonly expiresIn?: number;
  readonly json?: boolean;
}

/** `holdfast token create | list | revoke`: who may use the HTTP API of this state directory. */
export const tokenCommand: CommandOf = ({ terminal }, ended) => {
  const create = new Command('create')
    .description('Make a token and print it, this once: only its hash is kept.')
    .argument('<name>', 'whose it is; histories name this as the approver')
    .addOption(
      new Option('--role <role...>', 'what it may be used for').choices([...ROLES]).makeOptionMandatory(),
    )
    .option('--expires-in <time>', 'such as 90d, 12h or 30m; default: until revoked', lifetime)
    .option('--json', 'name and token as JSON')
    .action(async (name: string, { role, expiresIn, json = false }: CreateOptions) => {
      const { createToken } = await import('./manage-tokens.js');
      await createToken({ name, roles: role, expiresInMs: expiresIn }, json, terminal);
      ended('ok');
    });
  const list = new Command('list')
    .description('List the tokens: names, roles and times.')
    .option('--json', 'the list as JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { listTokens } = await import('./manage-tokens.js');
      await listTokens(json, terminal);
      ended('ok');
    });
  const revoke = new Command('revoke')
    .description('Revoke the token of a name. It counts at once, also where serve runs.')
    .argument('<name>', 'the name that it was made with')
    .option('--json', 'the answer as JSON')
    .action(async (name: string, { json = false }: { json?: boolean }) => {
      const { endToken } = await import('./manage-tokens.js');
      await endToken(name, json, terminal);
      ended('ok');
    });
  return new Command('token')
    .helpCommand(false)
    .description('Make, list and revoke tokens of the HTTP API.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
};

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a time from a minute to ten years. */
function lifetime(text: string): number {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (ms > 0 && ms <= 3650 * 86_400_000) return ms;
  throw new InvalidArgumentError('It must be a number with m, h or d, such as 90d, up to 3650d.');
}
