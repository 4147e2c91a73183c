import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTicket, ticketFiles, type TicketSource } from '../../../examples/tools/read-ticket.js';
import { callTool, openWorkspace, REFUSED_ARGUMENTS } from '../tools/call-tool.js';
import { makeTree } from '../workspace/tree.js';

const TICKETS = new Map([
  ['TICKET-1', 'The printer is on fire.'],
  ['TICKET-2', 'The salary of Ann.'],
]);

async function ask(args: Record<string, string | number | null>, allowed = ['TICKET-1', 'TICKET-7']) {
  const asked: string[] = [];
  const source: TicketSource = async (id) => {
    asked.push(id);
    return TICKETS.get(id);
  };
  const outcome = await callTool(readTicket({ allowed, source }), await openWorkspace({}), args);
  return { outcome, asked };
}

describe('read_ticket', () => {
  it('reads a ticket of its allowlist [surface:examples]', async () => {
    const { outcome } = await ask({ id: 'TICKET-1' });
    expect(outcome).toEqual({ status: 'ok', text: 'The printer is on fire.' });
  });

  it.each(['TICKET-2', 'TICKET-3', 'TICKET-0', 'TICKET-01', 'TICKET-000001', 'TICKET-999999'])(
    'answers %s, well-formed and not on the list, without looking it up [surface:examples]',
    async (id) => {
      const { outcome, asked } = await ask({ id });
      expect(outcome).toEqual({ status: 'error', text: `Unauthorized ticket: ${id}` });
      expect(asked).toEqual([]);
    },
  );

  it.each([[[]], [['TICKET-2']]])(
    'allows nothing by default: with the list %j [surface:examples]',
    async (allowed) => {
      const { outcome } = await ask({ id: 'TICKET-1' }, allowed);
      expect(outcome).toEqual({ status: 'error', text: 'Unauthorized ticket: TICKET-1' });
    },
  );

  it('says that an allowed ticket does not exist [surface:examples]', async () => {
    const { outcome } = await ask({ id: 'TICKET-7' });
    expect(outcome).toEqual({ status: 'error', text: 'There is no ticket TICKET-7.' });
  });

  it.each([
    ...['', 'TICKET-', 'TICKET-1234567', 'ticket-1', 'TICKET-1 ', ' TICKET-1', 'TICKET-1\n', '\nTICKET-1'],
    ...[
      'TICKET-1\nTICKET-2',
      'TICKET-1/../TICKET-2',
      '../TICKET-1',
      'TICKET-1.md',
      'TICKET-1\0',
      'TICKET--1',
    ],
    ...[
      'TICKET-.*',
      'TICKET-[0-9]',
      '^TICKET-1$',
      'TICKET-1|TICKET-2',
      'TICKET-\u0661',
      'TICKET-\uff11',
      '\uff34ICKET-1',
    ],
    ...['__proto__', 'constructor', 'TICKET-1\u200b', 'TICKET-1e1', 'TICKET-+1'],
  ])('never sees the malformed id %j [surface:examples, schema:before-handler]', async (id) => {
    await expect(ask({ id })).rejects.toThrow(REFUSED_ARGUMENTS);
  });

  it.each([{}, { id: 1 }, { id: null }, { id: 'TICKET-1', as: 'admin' }])(
    'does not take %j [surface:examples]',
    async (args) => {
      await expect(ask(args)).rejects.toThrow(REFUSED_ARGUMENTS);
    },
  );
});

describe('tickets in files', () => {
  const ids = ['TICKET-1', 'TICKET-2', 'TICKET-3', 'TICKET-4', 'TICKET-5'];
  it.each([
    ['TICKET-1', { status: 'ok', text: 'one' }],
    ['TICKET-2', { status: 'error', text: 'There is no ticket TICKET-2.' }],
    ['TICKET-3', { status: 'error', text: 'There is no ticket TICKET-3.' }],
    ['TICKET-4', { status: 'error', text: 'There is no ticket TICKET-4.' }],
    ['TICKET-5', { status: 'error', text: 'There is no ticket TICKET-5.' }],
  ])('give %s as %j, and follow no link [surface:examples]', async (id, expected) => {
    const base = await makeTree({
      'tickets/TICKET-1.md': 'one',
      'secret.txt': 'S',
      'tickets/TICKET-3.md': { link: '../secret.txt' },
      'tickets/TICKET-4.md/': '',
    });
    execFileSync('mkfifo', [join(base, 'tickets/TICKET-5.md')]);
    const tool = readTicket({ allowed: ids, source: ticketFiles(join(base, 'tickets')) });
    expect(await callTool(tool, await openWorkspace({}), { id })).toEqual(expected);
  });
});
