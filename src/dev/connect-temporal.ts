import { join } from 'node:path';
import { isGrpcServiceError } from '@temporalio/client';
import type { ConfiguredTemporal, HoldfastConfig, TemporalConnection } from '../config.js';
import { HoldfastError } from '../contract/error-codes.js';
import { startEmbeddedServer } from './embedded-server.js';
import { probeTemporal } from './probe-temporal.js';
import { obtainTemporal, type BinaryPlaces } from './temporal-binary.js';

/** A Temporal server that answered. `connection` and `namespace` are what clients and workers take. */
export interface TemporalAccess {
  readonly connection: TemporalConnection;
  readonly namespace: string;
  /** The embedded server, which stays until `stopEmbeddedServer`. */
  readonly embedded: boolean;
  /** One line for the operator: which server is used, and why. */
  readonly source: string;
}

/** What the source of Temporal depends on. */
export type TemporalConfig = Pick<HoldfastConfig, 'temporal' | 'stateDir' | 'searchPath'>;

/** Where programs are looked for, and where fetched ones stay. */
export function binaryPlaces({ stateDir, searchPath }: TemporalConfig): BinaryPlaces {
  return { searchPath, binDir: join(stateDir, 'bin') };
}

/**
 * The server that the environment names; else the embedded one, which is started when it does not run.
 * `report` receives a line before something slow. A named server that does not answer is an error, never a reason
 * to use another one. One attempt. Throws a HoldfastError `temporal_unavailable` that says what to do.
 */
export async function openTemporal(
  config: TemporalConfig,
  report: (line: string) => void = () => {},
): Promise<TemporalAccess> {
  if (config.temporal) return openConfigured(config.temporal);
  let origin = 'it was running';
  const { address, facts } = await startEmbeddedServer({
    stateDir: config.stateDir,
    obtainBinary: async () => {
      const binary = await obtainTemporal(binaryPlaces(config), report);
      origin = `started from ${binary.from}`;
      return binary;
    },
  });
  return {
    connection: { address },
    namespace: 'default',
    embedded: true,
    source: `Temporal: embedded server ${facts.serverVersion} at ${address} (${origin}), data in the state directory.`,
  };
}

/** Asks the server that the environment names. Throws as `openTemporal` does. */
export async function openConfigured({
  connection,
  namespace,
  setBy,
}: ConfiguredTemporal): Promise<TemporalAccess & { readonly retentionMs: number }> {
  const { address } = connection;
  try {
    const { serverVersion, retentionMs } = await probeTemporal(connection, { namespace });
    const source = `Temporal: server ${serverVersion} at ${address}, namespace ${namespace} (${setBy}).`;
    return { connection, namespace, embedded: false, source, retentionMs };
  } catch (cause) {
    throw new HoldfastError(
      'temporal_unavailable',
      `${complaint(cause, namespace)} at ${address}, which ${setBy} names. Correct it, or unset it to use the embedded server.`,
      { cause },
    );
  }
}

const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

function complaint(cause: unknown, namespace: string): string {
  const code: number = isGrpcServiceError(cause) ? cause.code : -1;
  if (code === NOT_FOUND) return `There is no namespace ${namespace}`;
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    return `The credentials are refused for namespace ${namespace}`;
  }
  return 'No Temporal server answers';
}
