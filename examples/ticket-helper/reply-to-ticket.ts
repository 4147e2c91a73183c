import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, ToolOutcome, type Tool } from 'holdfast';

export interface ReplyToTicketOptions {
  /** The only tickets that may be answered, such as `TICKET-17`. */
  readonly allowed: readonly string[];
}

/**
 * Puts the answer to a ticket into `outbox/` of the workspace. A mutation, so a person reads it first; and only for
 * the tickets of the allowlist, whatever that person says: approval is no authorisation.
 */
export function replyToTicket({ allowed }: ReplyToTicketOptions): Tool {
  const ids = new Set(allowed);
  return defineTool(
    {
      name: 'reply_to_ticket',
      description: 'Send the answer to a ticket. A person reads it first. One answer for each ticket.',
      riskLevel: 'mutation',
      parameters: {
        type: 'object',
        properties: {
          id: { type: 'string', pattern: '^TICKET-[0-9]{1,6}$', description: 'Such as TICKET-17.' },
          text: { type: 'string', minLength: 1, maxLength: 4000 },
        },
        required: ['id', 'text'],
        additionalProperties: false,
      },
    },
    async ({ id, text }, { workspace }) => {
      if (!ids.has(id)) return ToolOutcome.error(`Unauthorized ticket: ${id}`);
      await mkdir(join(workspace.root, 'outbox'), { recursive: true });
      try {
        await writeFile(join(workspace.root, 'outbox', `${id}.md`), text, { flag: 'wx' });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
        return ToolOutcome.error(`${id} was answered before. Nothing was sent.`);
      }
      return ToolOutcome.ok(`The answer to ${id} is on its way.`);
    },
  );
}
