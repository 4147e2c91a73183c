import { followHistory } from '../../audit/follow-history.js';
import { mayAsk } from '../../audit/history-event.js';
import type { TimelineChange } from '../../audit/timeline-change.js';
import { TimelineFold } from '../../audit/timeline-fold.js';
import type { Timeline } from '../../audit/timeline.js';
import type { HoldfastClient } from '../../client.js';
import type { ApprovalRequest } from '../../contract/decision.js';
import type { Terminal } from '../terminal.js';
import { progressLines } from './progress.js';

export interface WatchOptions {
  readonly client: HoldfastClient;
  readonly runId: string;
  readonly show: (change: TimelineChange) => void;
  /**
   * Called once for each request, as it comes up; nothing is shown until it resolves. Omitted: nobody is asked,
   * and no worker is needed.
   */
  readonly onRequest?: (request: ApprovalRequest) => Promise<void>;
  /** Ends the watching; the timeline so far is given. */
  readonly signal: AbortSignal;
}

/** Shows a run as it goes on and gives its timeline when it has ended. */
export async function watchRun(options: WatchOptions): Promise<Timeline> {
  const { client, runId, show, onRequest, signal } = options;
  const fold = new TimelineFold();
  const seen = new Set<string>();
  for await (const event of followHistory(client.temporal, runId, { signal })) {
    for (const change of fold.add(event)) show(change);
    if (!onRequest || !mayAsk(event)) continue;
    for (const request of await client.pending(runId)) {
      if (seen.has(request.requestKey)) continue;
      seen.add(request.requestKey);
      await onRequest(request);
    }
  }
  return fold.timeline;
}

/** Shows the changes of one run as lines for a person. */
export function progressOn({ print, colors }: Terminal): (change: TimelineChange) => void {
  let toolWidth = 0;
  return (change) => {
    if (change.kind === 'prepared') {
      toolWidth = Math.max(0, ...change.manifest.tools.map((tool) => tool.name.length));
    }
    for (const line of progressLines(change, colors, toolWidth)) print(line);
  };
}
