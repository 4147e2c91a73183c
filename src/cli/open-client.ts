import type { ConnectionOptions } from '@temporalio/client';
import { HoldfastClient } from '../client.js';
import { readConfig, type HoldfastConfig } from '../config.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { DecisionSigner } from '../contract/signed-decision.js';
import { openConfigured } from '../dev/connect-temporal.js';
import { runningEmbeddedServer } from '../dev/embedded-server.js';
import { meaningOf } from '../runs/server-refusals.js';
import { SHORT_RETRY } from '../runs/short-retry.js';
import { signerOf } from '../signing/key-file.js';
import { KeyDirectory } from '../signing/key-directory.js';

/**
 * Runs the body with a client of the server that the environment names, or else of the embedded server that runs
 * for the state directory: one started now would be empty of what is asked for. What the server says no to
 * becomes a HoldfastError: `temporal_unavailable`, `unknown_run`.
 *
 * @param signer signs what is decided. Default: the key that the environment names, or else that of the state directory.
 */
export async function withClient<T>(
  body: (client: HoldfastClient) => Promise<T>,
  signer?: DecisionSigner,
): Promise<T> {
  const config = readConfig();
  const { connection, namespace } = await findServer(config);
  const client = await HoldfastClient.connect({
    connection: { ...connection, ...SHORT_RETRY },
    namespace,
    signer:
      signer ?? (config.signingKeyFile ? signerOf(config.signingKeyFile) : new KeyDirectory(config.stateDir)),
  });
  try {
    return await body(client);
  } catch (error) {
    throw meaningOf(error);
  } finally {
    await client.close();
  }
}

interface Server {
  readonly connection: ConnectionOptions;
  readonly namespace: string;
}

async function findServer(config: HoldfastConfig): Promise<Server> {
  if (config.temporal) {
    const { connection, namespace } = await openConfigured(config.temporal);
    return { connection, namespace };
  }
  const running = await runningEmbeddedServer(config.stateDir);
  if (running) return { connection: { address: running.address }, namespace: 'default' };
  throw new HoldfastError(
    'temporal_unavailable',
    'No Temporal server runs for this state directory. `holdfast worker MODULE` starts one, or set TEMPORAL_ADDRESS.',
  );
}
