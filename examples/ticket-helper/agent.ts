import { fileURLToPath } from 'node:url';
import { defineAgent, ScriptedModel, type Agent, type Model } from 'holdfast';
import { readTicket, ticketFiles } from '../tools/read-ticket.js';
import { searchDocs } from '../tools/search-docs.js';
import { replyToTicket } from './reply-to-ticket.js';

// A help desk: reads the tickets that it may read, looks into the handbook, and proposes an answer that a person
// sees before it goes out. `holdfast worker examples/ticket-helper/agent.ts`, then in another terminal
// `holdfast run ticket-helper "Answer TICKET-17." --wait`, and `holdfast approvals`.

export interface TicketHelperOptions {
  /** Holds `docs/`, and takes the answers in `outbox/`. */
  readonly workspace: string;
  /** Default `ticket-helper`. */
  readonly name?: string;
  /** Default: a script, so that no model is needed. */
  readonly model?: Model;
}

/** Beside the workspace, not in it: no file tool reaches a ticket, only read_ticket does. */
const TICKETS = fileURLToPath(new URL('tickets', import.meta.url));
const ALLOWED = ['TICKET-17', 'TICKET-18'];

export function ticketHelper({
  workspace,
  name = 'ticket-helper',
  model = script(),
}: TicketHelperOptions): Agent {
  return defineAgent({
    name,
    instructions: 'You answer tickets from what the handbook says. Read the ticket, search, then reply once.',
    model,
    workspace,
    noTools: 'builtin',
    customTools: [
      readTicket({ allowed: ALLOWED, source: ticketFiles(TICKETS) }),
      searchDocs(),
      replyToTicket({ allowed: ALLOWED }),
    ],
    budgets: { maxTurns: 20, maxErrorsPerTool: { read_ticket: 3 } },
  });
}

/** It tries a ticket that is none of its business, too. */
function script(): Model {
  const answer =
    'You can send an unused article back within 30 days of its delivery; we then refund its price and the postage.';
  return new ScriptedModel([
    {
      text: 'I read the ticket, and the one that it mentions.',
      calls: [
        { tool: 'read_ticket', args: { id: 'TICKET-17' } },
        { tool: 'read_ticket', args: { id: 'TICKET-99' } },
      ],
    },
    {
      text: 'TICKET-99 is not mine to read. I look into the handbook.',
      calls: [{ tool: 'search_docs', args: { query: 'refund' } }],
    },
    {
      text: 'The handbook says 30 days. I propose this answer.',
      calls: [{ tool: 'reply_to_ticket', args: { id: 'TICKET-17', text: answer } }],
    },
    { text: 'TICKET-17 is done as far as I can do it.' },
  ]);
}

export default ticketHelper({ workspace: fileURLToPath(new URL('workspace', import.meta.url)) });
