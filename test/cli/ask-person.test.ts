import { describe, expect, it } from 'vitest';
import { askPerson } from '../../src/cli/dev/ask-person.js';
import type { ApprovalRequest, Decision, DecisionAnswer } from '../../src/contract/decision.js';
import { endOfInput, person, type Answer, type Person } from './person.js';

const request: ApprovalRequest = {
  requestKey: 'run-1:0:0:nonce',
  runId: 'run',
  call: { turn: 0, index: 0 },
  tool: 'write',
  riskLevel: 'mutation',
  args: { path: './notes.txt', content: 'new\n' },
  argsDigest: 'a'.repeat(64),
  schemaDigest: 'b'.repeat(64),
  paths: [{ argument: 'path', relative: 'notes.txt' }],
  preview: { kind: 'diff', text: '--- notes.txt\n+++ notes.txt\n@@ -1 +1 @@\n-old\n+new\n', basis: 'x' },
  modelText: 'I note it.',
  requestedAt: 0,
  expiresAt: 1,
  grantable: true,
};

const counted: DecisionAnswer = { counted: true, requestKey: request.requestKey, decision: 'approve' };
const refuse = (code: Extract<DecisionAnswer, { counted: false }>['code']): DecisionAnswer => ({
  counted: false,
  code,
  text: 'Change the path.',
});

interface Asked extends Person {
  readonly decisions: readonly Decision[];
  readonly decided: boolean;
}

async function ask(lines: readonly Answer[], ...answers: readonly DecisionAnswer[]): Promise<Asked> {
  const who = person(lines);
  const decisions: Decision[] = [];
  const decided = await askPerson(request, {
    terminal: who.terminal,
    approver: 'ann',
    editor: undefined,
    decide: async (decision) => {
      decisions.push(decision);
      return answers[decisions.length - 1] ?? counted;
    },
    signal: new AbortController().signal,
  });
  return { ...who, decisions, decided };
}

describe('a person who is asked', () => {
  it.each<[what: string, lines: readonly string[], ruling: Partial<Decision>]>([
    ['approves', ['a'], { decision: 'approve' }],
    ['approves in full', [' Approve '], { decision: 'approve' }],
    ['is asked again after anything else', ['', 'y', 'yes', 'a'], { decision: 'approve' }],
    ['denies without a reason', ['d', ''], { decision: 'deny' }],
    ['denies with a reason', ['deny', 'use the "copy"'], { decision: 'deny', reason: 'use the "copy"' }],
    ['edits', ['e', '{"path":"a","content":"x"}'], { decision: 'edit', args: { path: 'a', content: 'x' } }],
    ['edits after what is no JSON', ['e', '{', 'e', '{}'], { decision: 'edit', args: {} }],
    ['edits after what is no object', ['e', '[]', 'e', '{}'], { decision: 'edit', args: {} }],
    ['edits after a member named twice', ['e', '{"a":1,"a":2}', 'e', '{}'], { decision: 'edit', args: {} }],
    ['approves after an empty edit', ['e', '', 'a'], { decision: 'approve' }],
  ])('%s', async (_what, lines, ruling) => {
    const { decisions, decided } = await ask(lines);
    expect(decided).toBe(true);
    expect(decisions).toEqual([
      {
        requestKey: request.requestKey,
        runId: request.runId,
        tool: request.tool,
        argsDigest: request.argsDigest,
        schemaDigest: request.schemaDigest,
        approver: 'ann',
        decisionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ...ruling,
      },
    ]);
  });

  it('sees tool, risk, canonical path, the model’s words, the arguments and the change [hitl:order]', async () => {
    const { shown } = await ask(['a']);
    for (const part of ['write asks to run  mutation', 'notes.txt', 'I note it.', '"content": "new\\n"']) {
      expect(shown()).toContain(part);
    }
    expect(shown()).toMatch(/^ {4}-old$/m);
    expect(shown()).toMatch(/^ {4}\+new$/m);
    expect(shown()).not.toContain('\u001b');
  });

  it('learns why an edit was refused and edits again, with an id of its own [hitl:refused-decision]', async () => {
    const bad = '{"path":"../o","content":"x"}';
    const good = '{"path":"o","content":"x"}';
    const { decisions, shown } = await ask(['e', bad, 'e', good], refuse('edit_refused'));
    expect(shown()).toContain('edit_refused: Change the path.');
    expect(decisions.map(({ args }) => args?.path)).toEqual(['../o', 'o']);
    expect(new Set(decisions.map(({ decisionId }) => decisionId)).size).toBe(2);
  });

  it.each(['request_decided', 'request_expired', 'request_withdrawn', 'run_closed'] as const)(
    'is told, and not asked again, after %s [hitl:stale]',
    async (code) => {
      const { decided, decisions, shown } = await ask(['a'], refuse(code));
      expect([decided, decisions.length]).toEqual([true, 1]);
      expect(shown()).toContain(code);
    },
  );

  it.each<[where: string, lines: readonly Answer[]]>([
    ['at the question', [endOfInput]],
    ['at the arguments', ['e', endOfInput]],
    ['at the reason', ['d', endOfInput]],
  ])('decides nothing by ending the input %s', async (_where, lines) => {
    const { decided, decisions } = await ask(lines);
    expect([decided, decisions]).toEqual([false, []]);
  });

  it('is not asked again once the input has ended', async () => {
    const { terminal } = person([endOfInput]);
    const { signal } = new AbortController();
    expect(await terminal.ask('first? ', signal)).toBeUndefined();
    expect(await terminal.ask('second? ', signal)).toBeUndefined();
  });

  it('is no longer asked when the command is interrupted', async () => {
    const interrupt = new AbortController();
    const { terminal } = person(['']);
    const asked = terminal.ask('deny? ', interrupt.signal);
    interrupt.abort();
    await expect(asked).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });
});
