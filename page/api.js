// The HTTP API of the server that this page came from. The token is kept for this tab alone, and is no cookie: a page
// of another origin can have nothing sent with it.

const KEY = 'holdfast-token';

export const token = {
  get: () => sessionStorage.getItem(KEY) ?? undefined,
  set: (value) => sessionStorage.setItem(KEY, value),
  clear: () => sessionStorage.removeItem(KEY),
};

/** What the API refused, with its code and where the fault is. */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail ?? 'The server answered with something else than Holdfast does.');
    this.status = status;
    this.code = problem.code ?? 'unreadable_answer';
    this.errors = problem.errors ?? [];
  }
}

/** Asks the API: gives `{ status, body }`, throws Refusal, or TypeError when the server is away. */
export async function ask(path, { method = 'GET', body, signal } = {}) {
  const answer = await fetch(`v1${path}`, {
    method,
    signal: signal ?? null,
    headers: {
      authorization: `Bearer ${token.get() ?? ''}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, content);
  return { status: answer.status, body: content };
}

/** Calls back for each event of a run until the signal or the end of the run. Comes back by itself after a break. */
export async function follow(runId, { signal, onEvent }) {
  for (let last = ''; !signal.aborted;) {
    try {
      const answer = await fetch(`v1/runs/${encodeURIComponent(runId)}/events`, {
        signal,
        headers: {
          authorization: `Bearer ${token.get() ?? ''}`,
          ...(last !== '' && { 'last-event-id': last }),
        },
      });
      if (answer.status === 204 || !answer.ok) return;
      last = await readEvents(answer.body, onEvent, last);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TypeError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function readEvents(stream, onEvent, last) {
  let buffer = '';
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    buffer += chunk;
    for (let end; (end = buffer.indexOf('\n\n')) >= 0; buffer = buffer.slice(end + 2)) {
      const frame = buffer.slice(0, end).split('\n');
      const id = frame.find((line) => line.startsWith('id:'));
      const data = frame.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
      if (id !== undefined) last = id.slice(3).trim();
      if (data.length > 0) onEvent(JSON.parse(data.join('\n')));
    }
  }
  return last;
}
