/** `instanceof` for what a handler threw or returned: a proxy of its making may throw at the mere question. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}
