import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { KeyDirectory } from '../signing/key-directory.js';
import type { NewKey } from '../signing/key-file.js';
import type { TrustedKey } from '../signing/trusted-keys.js';
import { columns } from './columns.js';
import type { CommandOf } from './command-line.js';
import { jsonLine } from './print-json.js';
import { printableLine } from './printable.js';

/** `holdfast keys list | make | trust | revoke | rotate`: whose signatures count for the workers of this state directory. */
export const keysCommand: CommandOf = ({ terminal }, ended) => {
  const print = (json: boolean, value: object, lines: readonly string[]): void => {
    if (json) terminal.print(jsonLine(value));
    else for (const line of lines) terminal.print(line);
    ended('ok');
  };
  return new Command('keys')
    .helpCommand(false)
    .description('The keys whose signed decisions count here: list, make, trust, revoke, rotate.')
    .addCommand(
      verb('list', 'Show the keys that count, or have counted.').action(async ({ json = false }: Json) => {
        const trusted = await (await keys()).trusted();
        const lines = trusted.length === 0 ? [NONE] : columns([HEADINGS, ...trusted.map(rowOf)]);
        print(json, { keys: trusted }, lines);
      }),
    )
    .addCommand(
      verb('make', 'Make a key of your own, to sign with: HOLDFAST_SIGNING_KEY names its file.')
        .argument('<file>', 'where the private key is written; it must not exist yet')
        .action(async (file: string, { json = false }: Json) => {
          const { keyId, publicKey } = await makeKey(file);
          print(json, { keyId, publicKey }, [
            `Made: ${keyId}.`,
            `Have it trusted where workers run: holdfast keys trust ${publicKey} --holder NAME`,
          ]);
        }),
    )
    .addCommand(
      verb('trust', 'Let a public key count.')
        .argument('<key>', 'the x of an Ed25519 public key as a JWK: 43 characters of base64url', publicKey)
        .option('--holder <name>', 'whose own key it is: it decides in no other name (held)')
        .option('--attests', 'it is the key of a server, which signs in the name of any approver (attested)')
        .action(async (key: string, { holder, attests = false, json = false }: TrustOptions) => {
          if ((holder === undefined) === !attests) throw new HoldfastError('invalid_config', WHOSE);
          const trusted = await (await keys()).trust(key, holder);
          print(json, trusted, [`Trusted: ${trusted.keyId}.`]);
        }),
    )
    .addCommand(
      verb('revoke', 'Let a key count no more for what arrives from now on.')
        .argument('<id>', 'the id of the key, as `holdfast keys list` shows it')
        .action(async (keyId: string, { json = false }: Json) => {
          await (await keys()).revoke(keyId);
          print(json, { revoked: keyId }, [`Revoked: ${printableLine(keyId, 100)}.`]);
        }),
    )
    .addCommand(
      verb('rotate', 'Sign with a new key from now on. The old one counts until it is revoked.').action(
        async ({ json = false }: Json) => {
          const keyId = await (await keys()).rotate();
          print(json, { keyId }, [`Signing with ${keyId} from now on.`]);
        },
      ),
    );
};

async function keys(): Promise<KeyDirectory> {
  const { KeyDirectory } = await import('../signing/key-directory.js');
  return new KeyDirectory(readConfig().stateDir);
}

interface Json {
  readonly json?: boolean;
}

interface TrustOptions extends Json {
  readonly holder?: string;
  readonly attests?: boolean;
}

const NONE = 'No key counts here yet; the first decision or worker makes one.';
const WHOSE = 'Say whose key it is: --holder NAME for an approver, or --attests for a server.';
const HEADINGS = ['key', 'signs', 'counts'];

async function makeKey(file: string): Promise<NewKey> {
  if (existsSync(file)) throw new HoldfastError('invalid_config', 'This file exists. Name another.');
  const { newKey, writeKey } = await import('../signing/key-file.js');
  const key = await newKey();
  await writeKey(file, key).catch((cause: unknown) => {
    throw new HoldfastError('invalid_config', 'The key cannot be written there.', { cause });
  });
  return key;
}

function publicKey(text: string): string {
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 43 characters of base64url.');
}

function verb(name: string, description: string): Command {
  return new Command(name).description(description).option('--json', 'the answer as JSON');
}

function rowOf({ keyId, kind, holder, revokedAt }: TrustedKey): readonly string[] {
  return [
    keyId,
    kind === 'held' ? `as ${printableLine(holder ?? '', 100)}` : 'in the name of any approver',
    revokedAt === undefined ? 'yes' : `until ${new Date(revokedAt).toISOString()}`,
  ];
}
