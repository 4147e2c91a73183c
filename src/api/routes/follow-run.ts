import { LIMITS } from '../../contract/limits.js';
import { checkRun } from '../../runs/find-run.js';
import { eventFrames } from '../event-frames.js';
import { ApiRefusal } from '../problem.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

export const followRunRoute = route<RunParams>({
  method: 'GET',
  path: '/runs/:id/events',
  operationId: 'followRun',
  summary: `The events of a run as they happen, to its end. One token may hold ${LIMITS.openStreams} open.`,
  roles: ['operator', 'approver', 'auditor'],
  params: RUN_PARAMS,
  answers: {
    200: {
      description:
        'Server-sent events: the id is the number of the event, its type the event name. With Last-Event-ID those after it.',
      type: 'text/event-stream',
    },
    204: { description: 'The run has ended, and no event comes after that of Last-Event-ID.' },
  },
  refusals: ['unknown_run'],
  handle: async ({ params: { id }, lastEventId, gone }, { client, heartbeatMs }) => {
    const from = firstWanted(lastEventId);
    const { open } = await checkRun(client, id);
    const events = client.follow(id, { from, signal: gone });
    // A client that comes back after the end would come back for ever: 204 is what stops an EventSource.
    const first = open ? undefined : await events.next();
    if (first?.done) return { status: 204 };
    return { status: 200, stream: eventFrames(events, heartbeatMs, first?.value) };
  },
});

function firstWanted(lastEventId: string | undefined): number {
  if (lastEventId === undefined || lastEventId === '') return 1;
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId) + 1;
  throw new ApiRefusal('malformed_request', 'Last-Event-ID must be the number of an event.');
}
