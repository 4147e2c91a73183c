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
  constructor({ status, headers }, problem) {
    super(problem.detail ?? 'The server answered with something else than Holdfast does.');
    this.status = status;
    this.code = problem.code ?? 'unreadable_answer';
    this.errors = problem.errors ?? [];
    this.retryAfterMs = 1000 * (Number(headers.get('retry-after')) || 0);
  }

  /** The same may be asked again, later. */
  get passes() {
    return this.status === 429 || this.status >= 500;
  }
}

/** Asks the API, with a body of JSON text: gives `{ status, body }`, throws Refusal, or TypeError when it is away. */
export async function ask(path, { method = 'GET', body, signal } = {}) {
  const answer = await fetch(`v1${path}`, {
    method,
    signal: signal ?? null,
    headers: { ...authorization(), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  if (!answer.ok) throw await refusalOf(answer);
  return { status: answer.status, body: await answer.json() };
}

export function authorization() {
  return { authorization: `Bearer ${token.get() ?? ''}` };
}

export async function refusalOf(answer) {
  return new Refusal(answer, await answer.json().catch(() => ({})));
}
