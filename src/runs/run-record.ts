import { followHistory } from '../audit/follow-history.js';
import { TimelineFold } from '../audit/timeline-fold.js';
import type { Timeline } from '../audit/timeline.js';
import type { HoldfastClient } from '../client.js';
import { checkRun } from './find-run.js';

/** What a run did so far, from its history, which needs no worker. Throws as `checkRun`. */
export async function recordOf(client: HoldfastClient, runId: string): Promise<Timeline> {
  await checkRun(client, runId);
  const fold = new TimelineFold();
  for await (const event of followHistory(client.temporal, runId, { until: 'now' })) {
    fold.add(event);
  }
  return fold.timeline;
}
