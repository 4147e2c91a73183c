/** How a handler's run ended. After a stop, `last` is what it still gave within the grace time, if anything. */
export type HandlerEnd =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: Stopped; readonly last: Settled | undefined };

type Stopped = 'timed_out' | 'cancelled';
type Settled = Extract<HandlerEnd, { kind: 'returned' | 'threw' }>;

/** How long a handler may take to stop once its signal is aborted, milliseconds. */
const GRACE_MS = 5_000;

export interface HandlerRun {
  readonly handler: (signal: AbortSignal) => unknown;
  readonly timeoutMs: number;
  /** Stops the handler from outside. */
  readonly cancellation: AbortSignal;
}

/**
 * Runs a handler until it settles, its time is over, or it is cancelled; then its signal is aborted and it gets
 * 5 s to stop. A handler that ignores the signal is left behind: nothing in JavaScript can end it. Never throws.
 */
export async function runHandler({ handler, timeoutMs, cancellation }: HandlerRun): Promise<HandlerEnd> {
  const controller = new AbortController();
  const settled = settle(() => handler(controller.signal));
  const first = await firstOf(settled, timeoutMs, cancellation);
  if (typeof first === 'object') return first;
  controller.abort(reasonOf(first));
  const last = await firstOf(settled, GRACE_MS);
  return { kind: first, last: typeof last === 'object' ? last : undefined };
}

function reasonOf(how: Stopped): DOMException {
  return how === 'timed_out'
    ? new DOMException('The time of the tool is over.', 'TimeoutError')
    : new DOMException('The call was cancelled.', 'AbortError');
}

async function settle(handler: () => unknown): Promise<Settled> {
  try {
    return { kind: 'returned', value: await handler() };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

function firstOf(
  settled: Promise<Settled>,
  timeoutMs: number,
  cancellation?: AbortSignal,
): Promise<Settled | Stopped> {
  return new Promise((resolve) => {
    const end = (how: Settled | Stopped): void => {
      clearTimeout(timer);
      cancellation?.removeEventListener('abort', onAbort);
      resolve(how);
    };
    const onAbort = (): void => end('cancelled');
    const timer = setTimeout(() => end('timed_out'), timeoutMs);
    cancellation?.addEventListener('abort', onAbort);
    if (cancellation?.aborted) onAbort();
    void settled.then(end);
  });
}
