import { once } from 'node:events';
import { createApi } from '../api/create-api.js';
import { readIdentityProvider } from '../api/identity-provider.js';
import { JwtAuthority } from '../api/jwt-authority.js';
import { isLoopback } from '../api/loopback.js';
import { providerKeys } from '../api/provider-keys.js';
import { FileTokenAuthority, type TokenAuthority } from '../api/token-authority.js';
import { readTokens } from '../api/token-file.js';
import type { ApiLogLine } from '../api/told.js';
import { readConfig } from '../config.js';
import { KeyDirectory } from '../signing/key-directory.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { CommandContext } from './command-line.js';
import type { Exit } from './exit-codes.js';
import { withClient } from './open-client.js';
import { jsonLine } from './print-json.js';
import type { ServeOptions } from './serve.js';

/** Serves until the first interrupt; requests at work are answered, event streams end. */
export async function serveApi(
  { host, port, json = false }: ServeOptions,
  { terminal, settings, interrupts }: CommandContext,
): Promise<Exit> {
  const { stateDir, identityProviderFile } = readConfig();
  const tokens = await authorityOf(stateDir, identityProviderFile);
  const { complain } = terminal;
  // Whoever holds a token decides here: the server's key attests it, whatever key a person may have set.
  const signer = new KeyDirectory(stateDir);
  await withClient(async (client) => {
    if (identityProviderFile === undefined && (await readTokens(stateDir)).length === 0) {
      complain('There is no token yet: holdfast token create NAME --role operator');
    }
    if (!isLoopback(host)) {
      complain('Tokens and arguments travel unencrypted: put a proxy with TLS in front of this address.');
    }
    const log = (line: ApiLogLine): void =>
      complain(json ? jsonLine(withoutStack(line, settings.debug)) : lineOf(line, settings.debug));
    const api = createApi({ client, tokens, log });
    const address = await api.listen({ host, port }).catch((cause: unknown) => {
      throw new HoldfastError(
        'invalid_config',
        'This address cannot be listened at. Choose another --port.',
        {
          cause,
        },
      );
    });
    interrupts.hold();
    terminal.print(
      json
        ? jsonLine({ event: 'serving', address })
        : `Serving the HTTP API at ${address}/v1, and the page for approvers at ${address}/`,
    );
    if (!interrupts.signal.aborted) await once(interrupts.signal, 'abort');
    await api.close();
  }, signer);
  return 'ok';
}

async function authorityOf(stateDir: string, providerFile: string | undefined): Promise<TokenAuthority> {
  const tokens = new FileTokenAuthority(stateDir);
  if (providerFile === undefined) return tokens;
  const provider = await readIdentityProvider(providerFile);
  return new JwtAuthority(provider, providerKeys(provider), tokens);
}

function lineOf(
  { method, route, status, ms, token, refused, code, defect }: ApiLogLine,
  debug: boolean,
): string {
  const words = [method, route, String(status), `${ms} ms`, token ?? '-', refused, code, defect?.name];
  const line = words.filter((word) => word !== undefined).join(' ');
  return debug && defect?.stack !== undefined ? `${line}\n${defect.stack}` : line;
}

/** A stack holds paths of this machine. */
function withoutStack({ defect, ...line }: ApiLogLine, debug: boolean): object {
  return { ...line, ...(defect && { defect: debug ? defect : { name: defect.name } }) };
}
