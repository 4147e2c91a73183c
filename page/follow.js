import { authorization, refusalOf } from './api.js';
import { backoffMs, mayPass } from './backoff.js';

/** The server sends something at least every 15 s: a connection that is silent for longer is dead. */
const SILENT_MS = 60_000;
const REOPEN_MS = 1000;

/**
 * Calls back for each event of a run until the signal or the end of the run. Comes back by itself after a break, and
 * holds no connection while nobody looks: a browser has few for one server. Throws Refusal for what stays refused.
 */
export async function follow(runId, { signal, onEvent }) {
  const address = `v1/runs/${encodeURIComponent(runId)}/events`;
  let last = '';
  for (let tries = 0; !signal.aborted;) {
    await untilSeen(signal);
    const connection = new AbortController();
    const release = whileSeen(connection, signal);
    try {
      const headers = { ...authorization(), ...(last !== '' && { 'last-event-id': last }) };
      const answer = await fetch(address, { signal: connection.signal, headers });
      if (answer.status === 204) return;
      if (!answer.ok) throw await refusalOf(answer);
      tries = 0;
      for await (const { id, event } of eventsOf(answer.body, () => connection.abort())) {
        last = id ?? last;
        if (event !== undefined) onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!connection.signal.aborted && !mayPass(error)) throw error;
      tries += connection.signal.aborted ? 0 : 1;
      if (tries > 0) await pause(backoffMs(tries, error));
    } finally {
      release();
    }
    if (tries === 0) await pause(REOPEN_MS);
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function untilSeen(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/** Ends a connection when the page is no longer seen, or left. Gives what stops that. */
function whileSeen(connection, signal) {
  const look = () => {
    if (document.hidden || signal.aborted) connection.abort();
  };
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    signal.removeEventListener('abort', look);
  };
}

async function* eventsOf(stream, onSilence) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let buffer = ''; ;) {
    const timer = setTimeout(() => onSilence(), SILENT_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    buffer += value;
    for (let end; (end = buffer.indexOf('\n\n')) >= 0; buffer = buffer.slice(end + 2)) {
      yield readFrame(buffer.slice(0, end).split('\n'));
    }
  }
}

function readFrame(lines) {
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
  return {
    id: lines
      .find((line) => line.startsWith('id:'))
      ?.slice(3)
      .trim(),
    event: data.length > 0 ? JSON.parse(data.join('\n')) : undefined,
  };
}
