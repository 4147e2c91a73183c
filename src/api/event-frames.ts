import type { RunEvent } from '../contract/events.js';

/**
 * Events as frames of server-sent events, with a comment whenever none came for a while, so that nothing between
 * takes the connection for dead. Ends with the events; one that fails ends the stream, and the client comes back.
 */
export async function* eventFrames(
  events: AsyncGenerator<RunEvent, void>,
  heartbeatMs: number,
  first?: RunEvent,
): AsyncGenerator<string, void> {
  // Sends the head at once.
  yield ': events\n\n';
  if (first) yield frame(first);
  let next = events.next();
  try {
    for (;;) {
      const came = await within(next, heartbeatMs);
      if (came === 'nothing') yield ': still here\n\n';
      else if (came.done) return;
      else {
        next = events.next();
        yield frame(came.value);
      }
    }
  } finally {
    // Whoever reads is gone, perhaps while the next one was awaited.
    next.catch(() => undefined);
  }
}

function frame(event: RunEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | 'nothing'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'nothing'>((resolve) => {
    timer = setTimeout(() => resolve('nothing'), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
