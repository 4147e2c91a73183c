import { Connection } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { TemporalConnection } from '../config.js';

/** What a server says of a namespace. */
export interface NamespaceFacts {
  readonly serverVersion: string;
  /** How long a closed run's history is kept, milliseconds. */
  readonly retentionMs: number;
}

export interface ProbeOptions {
  readonly namespace: string;
  /** For everything together, milliseconds. Default 5 s. */
  readonly timeoutMs?: number;
  /** A shorter retention is raised to this. Omitted: left as it is. */
  readonly raiseRetentionToMs?: number;
}

/**
 * Asks a server for a namespace, over a connection of its own. One attempt. Rejects with the SDK's error when
 * nothing answers, the credentials are refused or the namespace does not exist.
 */
export async function probeTemporal(
  options: TemporalConnection,
  { namespace, timeoutMs = 5_000, raiseRetentionToMs = 0 }: ProbeOptions,
): Promise<NamespaceFacts> {
  const deadline = Date.now() + timeoutMs;
  const connection = await Connection.connect({ ...options, connectTimeout: timeoutMs });
  try {
    return await connection.withDeadline(deadline, async () => {
      const service = connection.workflowService;
      const { serverVersion } = await service.getSystemInfo({});
      const { config } = await service.describeNamespace({ namespace });
      const retentionMs = optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0;
      if (retentionMs < raiseRetentionToMs) {
        const workflowExecutionRetentionTtl = msToTs(raiseRetentionToMs);
        await service.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
      }
      return { serverVersion, retentionMs: Math.max(retentionMs, raiseRetentionToMs) };
    });
  } finally {
    await connection.close();
  }
}
