import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, ToolOutcome, type Tool } from 'holdfast';

/** The text of a ticket; undefined when there is none of this id. Asked only for ids of the allowlist. */
export type TicketSource = (id: string) => Promise<string | undefined>;

export interface ReadTicketOptions {
  /** The only tickets that may be read, such as `TICKET-17`. */
  readonly allowed: readonly string[];
  readonly source: TicketSource;
}

/**
 * Reads a ticket of an allowlist (`surface:examples`). The schema says what an id looks like; who may read which
 * ticket is another question, and it is asked behind the schema, before anything is looked up.
 */
export function readTicket({ allowed, source }: ReadTicketOptions): Tool {
  const ids = new Set(allowed);
  return defineTool(
    {
      name: 'read_ticket',
      description: 'Read a ticket of the help desk.',
      riskLevel: 'read_only',
      parameters: {
        type: 'object',
        properties: {
          id: { type: 'string', pattern: '^TICKET-[0-9]{1,6}$', description: 'Such as TICKET-17.' },
        },
        required: ['id'],
        additionalProperties: false,
      },
      idempotent: true,
      parallel: true,
    },
    async ({ id }) => {
      if (!ids.has(id)) return ToolOutcome.error(`Unauthorized ticket: ${id}`);
      const text = await source(id);
      return text === undefined ? ToolOutcome.error(`There is no ticket ${id}.`) : ToolOutcome.ok(text);
    },
  );
}

/** Tickets as files `TICKET-17.md` of one directory. What is no regular file, a link included, is no ticket. */
export function ticketFiles(directory: string): TicketSource {
  return async (id) => {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(join(directory, `${id}.md`), flags).catch(() => undefined);
    try {
      return (await file?.stat())?.isFile() ? await file?.readFile('utf8') : undefined;
    } finally {
      await file?.close();
    }
  };
}
