import { Refusal } from './api.js';

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** How long to wait before the nth try again, from 1; as long as the server asks for, if it does. */
export function backoffMs(tries, error) {
  const wished = error instanceof Refusal ? error.retryAfterMs : 0;
  return Math.max(wished, Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1)));
}

/** Whether asking again can help: the server is away, or has too much to do. */
export function mayPass(error) {
  return error instanceof Refusal ? error.passes : error instanceof TypeError;
}
