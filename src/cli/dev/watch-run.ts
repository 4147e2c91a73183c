import { TimelineFold } from '../../audit/timeline-fold.js';
import type { Timeline } from '../../audit/timeline.js';
import type { HoldfastClient } from '../../client.js';
import type { ApprovalRequest } from '../../contract/decision.js';
import type { Terminal } from '../terminal.js';
import { followHistory } from './follow-history.js';
import { mayWait, progressLines } from './progress.js';

export interface WatchOptions {
  readonly client: HoldfastClient;
  readonly runId: string;
  readonly terminal: Terminal;
  /** Called once for each request, as it comes up; nothing is shown until it resolves. */
  readonly onRequest: (request: ApprovalRequest) => Promise<void>;
  /** Ends the watching; the timeline so far is given. */
  readonly signal: AbortSignal;
}

/** Shows a run as it goes on and gives its timeline when it has ended. */
export async function watchRun({
  client,
  runId,
  terminal,
  onRequest,
  signal,
}: WatchOptions): Promise<Timeline> {
  const fold = new TimelineFold();
  const seen = new Set<string>();
  let toolWidth = 0;
  for await (const event of followHistory(client.temporal, runId, signal)) {
    for (const change of fold.add(event)) {
      if (change.kind === 'prepared')
        toolWidth = Math.max(0, ...change.manifest.tools.map((tool) => tool.name.length));
      for (const line of progressLines(change, terminal.colors, toolWidth)) terminal.print(line);
      if (!mayWait(change)) continue;
      for (const request of await client.pending(runId)) {
        if (seen.has(request.requestKey)) continue;
        seen.add(request.requestKey);
        await onRequest(request);
      }
    }
  }
  return fold.timeline;
}
