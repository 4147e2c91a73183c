import type { Control } from '../contract/control.js';
import { isJsonObject } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';

const ACTIONS = 'action must be pause, resume, message or revoke.';

/** A control as it arrived, or what is wrong with it. Untrusted, so nothing but the named members is taken. */
export function readControl(payload: unknown): Control | { readonly fault: string } {
  if (!isJsonObject(payload)) return { fault: 'This is no control. Send a JSON object with action and by.' };
  const { action, by, text, tool } = payload;
  if (typeof by !== 'string' || by === '' || by.length > 256) {
    return { fault: 'by must name who asks for it, in at most 256 characters.' };
  }
  if (typeof action !== 'string') return { fault: ACTIONS };
  switch (action) {
    case 'pause':
    case 'resume':
      return { action, by };
    case 'message':
      if (typeof text !== 'string' || text.trim() === '') return { fault: 'text must not be empty.' };
      if (new TextEncoder().encode(text).length > LIMITS.messageBytes) {
        return { fault: `text has at most ${String(LIMITS.messageBytes)} bytes. Put the rest in a file.` };
      }
      return { action, by, text };
    case 'revoke':
      if (typeof tool !== 'string') return { fault: 'tool must name the tool whose grant ends.' };
      return { action, by, tool };
    default:
      return { fault: ACTIONS };
  }
}
