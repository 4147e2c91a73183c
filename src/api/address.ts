import type { Route } from './route.js';

export const PREFIX = '/v1';

/**
 * A query string, every value text as it was sent. A name that came twice holds a list, which no schema here takes:
 * one of the two would be lost otherwise.
 */
export function parseQuery(text: string): Record<string, unknown> {
  const found = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found.get(name);
    found.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(found);
}

/** The methods that an address knows, whatever method was used; none when there is no such address. */
export function methodsAt(url: string, routes: readonly Route[]): readonly string[] {
  const path = new URL(url, 'http://localhost').pathname;
  return routes.filter((route) => fits(path, `${PREFIX}${route.path}`)).map(({ method }) => method);
}

function fits(path: string, pattern: string): boolean {
  const sent = path.split('/');
  const wanted = pattern.split('/');
  return (
    sent.length === wanted.length &&
    wanted.every((part, at) => (part.startsWith(':') ? sent[at] !== '' : part === sent[at]))
  );
}
