import { HoldfastClient } from '../../client.js';
import type { HoldfastConfig } from '../../config.js';
import { KeyDirectory } from '../../signing/key-directory.js';
import { FileTranscriptStore } from '../../transcript/file-store.js';
import type { HoldfastWorker } from '../../worker.js';
import type { CommandContext } from '../command-line.js';
import type { Exit } from '../exit-codes.js';
import { headerLines } from './header-lines.js';
import type { DevJob } from './job.js';
import { installQuietRuntime } from './quiet-runtime.js';
import { runToEnd } from './run-to-end.js';
import { openServer } from './server.js';

/**
 * One run with everything it needs: server, worker, decisions, progress, timeline. What it started it stops,
 * whichever way it ends.
 *
 * @param emit receives each event as a line of JSON.
 */
export async function runSession(
  job: DevJob,
  config: HoldfastConfig,
  context: CommandContext,
  emit?: (line: string) => void,
): Promise<Exit> {
  const { terminal, settings, interrupts } = context;
  interrupts.hold();
  interrupts.signal.addEventListener('abort', () =>
    terminal.complain('Stopping. Ctrl-C again quits at once.'),
  );
  installQuietRuntime(config.stateDir, settings.debug);
  const server = await openServer(config, terminal.print);
  let client: HoldfastClient | undefined;
  try {
    const { connection, namespace } = server.access;
    if (interrupts.signal.aborted) return 'cancelled';
    const keys = new KeyDirectory(config.stateDir);
    client = await HoldfastClient.connect({ connection, namespace, signer: keys });
    const { createWorker } = await import('../../worker.js');
    const worker = await createWorker({
      agents: [job.agent],
      transcript: new FileTranscriptStore(config.stateDir),
      connection,
      namespace,
      trustedKeys: keys.trusted,
      warn: terminal.complain,
    });
    const tools = worker.agents.flatMap(({ surface }) => surface);
    for (const line of headerLines(job, server.access, tools)) terminal.print(line);
    const { access, stays: serverStays } = server;
    const run = { job, access, serverStays, client, context, ...(emit && { emit }) };
    return await whileWorking(worker, (broken) => runToEnd(run, broken));
  } finally {
    terminal.print(await server.close(client, job.runId));
    await client?.close();
  }
}

/** A worker that fails for good aborts the body's signal; its error is thrown then. */
async function whileWorking<T>(
  worker: HoldfastWorker,
  body: (broken: AbortSignal) => Promise<T>,
): Promise<T> {
  const broken = new AbortController();
  const working = worker.run().catch((error: unknown) => broken.abort(error));
  try {
    const result = await body(broken.signal);
    broken.signal.throwIfAborted();
    return result;
  } finally {
    if (!broken.signal.aborted) worker.shutdown();
    await working;
  }
}
