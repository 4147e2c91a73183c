import { readdirSync, readFileSync } from 'node:fs';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { timelineOf, type CallRecord, type Timeline } from '../../src/audit/timeline.js';
import { TimelineFold } from '../../src/audit/timeline-fold.js';
import { columns } from '../../src/cli/columns.js';
import { progressLines } from '../../src/cli/dev/progress.js';
import { surfaceRows } from '../../src/cli/print-surface.js';
import { timelineLines } from '../../src/cli/print-timeline.js';

const HISTORIES = 'test/replay/histories/0.1.0';
const plain = pc.createColors(false);
const wide = { colors: plain, width: Infinity };

function events(name: string) {
  const json: unknown = JSON.parse(readFileSync(`${HISTORIES}/${name}.json`, 'utf8'));
  return historyFromJSON(json).events ?? [];
}

/** The timeline of a recorded history, each call changed. */
function altered(name: string, change: (call: CallRecord) => CallRecord): Timeline {
  const { turns, ...timeline } = timelineOf(events(name));
  return { ...timeline, turns: turns.map((turn) => ({ ...turn, calls: turn.calls.map(change) })) };
}

/** Durations differ from one recording to the next. */
function steady(lines: readonly string[]): readonly string[] {
  return lines.map((line) =>
    line
      .replace(/\d+(\.\d+)? m?s\b/g, 'TIME')
      .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'WHEN')
      .replace(/ +/g, ' ')
      .trim(),
  );
}

describe('a timeline that is printed', () => {
  it.each<[name: string, lines: readonly string[]]>([
    [
      'free',
      [
        '1.1 read notes.txt valid inside free (read_only) ok TIME',
        '2.1 read – valid refused – error path_refused –',
        'Run done after TIME',
        'Budget errors 1 of 10, in a row 1 of 3, denials in a row 0 of 5, turns 2 of 100',
        'Model 3 calls; 2 tool calls',
      ],
    ],
    [
      'edited',
      [
        '1.1 effect – valid no paths edited by ada (update) ok TIME',
        'A decision of ada (update) was refused: edit_invalid.',
        'Run done after TIME',
      ],
    ],
    ['denied', ['1.1 effect – valid no paths denied by ada (update) denied –']],
    ['denied-by-policy', ['1.1 effect – valid no paths denied by policy denied –']],
    ['granted', ['2.1 effect – valid no paths grant by ada ok TIME']],
    ['expired', ['1.1 effect – valid no paths – expired –']],
    ['cancelled', ['1.1 effect – valid no paths – cancelled –', 'Run cancelled after TIME']],
    [
      'budget-extended',
      [
        'Budget errors 3 of 10, in a row 3 of 4, denials in a row 0 of 5, turns 3 of 100',
        'Extended WHEN by op: maxConsecutiveErrors +1',
      ],
    ],
    ['budget-exhausted', ['Run ended, budget maxConsecutiveErrors used up after TIME']],
  ])('has verdicts, decision, outcome and budget of a run: %s [audit:timeline]', (name, lines) => {
    expect(steady(timelineLines(timelineOf(events(name)), wide))).toEqual(expect.arrayContaining([...lines]));
  });

  it.each(readdirSync(HISTORIES))(
    'fits a terminal of 80 columns, and says the same: %s [audit:timeline]',
    (file) => {
      const timeline = timelineOf(events(file.replace(/\.json$/, '')));
      const lines = timelineLines(timeline, { colors: plain, width: 80 });
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      // Tables are cut cell by cell, never line by line.
      expect(lines.filter((line) => /^ {2}\d/.test(line))).toHaveLength(
        timelineLines(timeline, wide).filter((line) => /^ {2}\d/.test(line)).length,
      );
      const words = (text: readonly string[]) => text.slice(text.indexOf('')).join(' ').split(/\s+/);
      expect(words(lines)).toEqual(words(timelineLines(timeline, wide)));
    },
  );

  it('has the cause below each call that failed, and nothing below the others [audit:timeline] [outcome:status]', () => {
    const free = steady(timelineLines(timelineOf(events('free')), wide));
    expect(free.filter((line) => line.startsWith('2.1'))).toEqual([
      '2.1 read – valid refused – error path_refused –',
      expect.stringMatching(/^2\.1 path_refused The argument path is outside the workspace\./),
    ]);
    expect(free.filter((line) => line.startsWith('1.1'))).toHaveLength(1);
    const repeated = steady(timelineLines(timelineOf(events('repeated')), wide));
    expect(repeated).toContainEqual(expect.stringMatching(/^3\.1 repeated_call .*\w/));
  });

  it('has of a cause the first line alone, cut, and nothing that steers a terminal [audit:timeline]', () => {
    const { turns, ...timeline } = timelineOf(events('free'));
    const text = `\n \u001b[2J\u202eno such file ${'x'.repeat(999)}\nsecond line`;
    const failed = { status: 'error', code: 'tool_error' } as const;
    const changed = turns.map((turn) => ({
      ...turn,
      calls: turn.calls.map((call) =>
        call.execution
          ? {
              ...call,
              outcome: failed,
              execution: { ...call.execution, end: { ...failed, text, output: '' } },
            }
          : call,
      ),
    }));
    const lines = timelineLines({ ...timeline, turns: changed }, wide);
    const [, cause = ''] = lines.filter((line) => line.startsWith('  1.1'));
    expect(cause).toMatch(/^ {2}1\.1 tool_error {2,}\\u\{1b\}\[2J\\u\{202e\}no such file x+…$/);
    expect(cause.length).toBeLessThan(260);
    expect(lines.join('\n')).not.toContain('second line');
  });

  it('has the paths that ran after an edit, and not those that were proposed [audit:timeline] [hitl:edit-told]', () => {
    const proposed = [{ argument: 'path', relative: 'proposed.txt' }];
    const paths = [{ argument: 'path', relative: 'edited.txt' }];
    const timeline = altered('edited', (call) => ({
      ...call,
      ...(call.guard?.value.allowed && {
        guard: { ...call.guard, value: { ...call.guard.value, paths: proposed } },
      }),
      decisions: call.decisions.map((decision) => {
        const { verdict } = decision;
        if (!verdict || verdict.value.repeated || !verdict.value.accepted || !verdict.value.edited) {
          return decision;
        }
        const { edited } = verdict.value;
        const value = { ...verdict.value, edited: { ...edited, guard: { ...edited.guard, paths } } };
        return { ...decision, verdict: { ...verdict, value } };
      }),
    }));
    expect(steady(timelineLines(timeline, wide))).toContain(
      '1.1 effect edited.txt valid inside edited by ada (update) ok TIME',
    );
  });

  it('has the reason that a person gave, on one line, and nothing that steers a terminal [hitl:deny]', () => {
    const reason = '\u001b[2J Not now.\nLater.';
    const timeline = altered('denied', (call) => ({
      ...call,
      decisions: call.decisions.map(({ decision, ...record }) => ({
        ...record,
        ...(decision && { decision: { ...decision, reason } }),
      })),
    }));
    expect(steady(timelineLines(timeline, wide))).toContain('1.1 reason \\u{1b}[2J Not now. Later.');
  });

  it('says of a run that failed when and why, in this order, without an empty table [audit:timeline]', () => {
    const { end, ...timeline } = timelineOf(events('denied'));
    const failed = { ...timeline, turns: [], decisions: [], started: { continuation: 0, eventId: 1, at: 0 } };
    const message = 'No tool is named "nosuch".';
    const lines = timelineLines(
      {
        ...failed,
        end: {
          continuation: 0,
          eventId: 9,
          at: 90,
          status: 'failed',
          type: 'holdfast.unknown_tool_name',
          message,
        },
      },
      wide,
    );
    expect(end?.status).toBe('completed');
    expect(steady(lines)[0]).toBe(`Run failed after TIME, unknown_tool_name: ${message}`);
  });

  it('has the whole digest of an output that was kept, on a terminal of 80 columns too [outcome:size]', () => {
    const { turns, ...timeline } = timelineOf(events('free'));
    const whole = { digest: 'd'.repeat(64), bytes: 3_000_000 };
    const changed = turns.map((turn) => ({
      ...turn,
      calls: turn.calls.map((call) => {
        const end = call.execution?.end;
        return call.execution && end && 'text' in end
          ? { ...call, execution: { ...call.execution, end: { ...end, whole } } }
          : call;
      }),
    }));
    const lines = timelineLines({ ...timeline, turns: changed }, { colors: plain, width: 80 });
    expect(steady(lines)).toContain('1.1 kept 3000000 bytes as');
    expect(steady(lines)).toContain(whole.digest);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('has the budgets of a run that is open: as they are now, or the caps alone when nobody tells [audit:timeline]', () => {
    const { end: _end, ...open } = timelineOf(events('budget-extended'));
    expect(steady(timelineLines(open, wide))).toContain(
      'Budget errors at most 10, in a row at most 4, denials in a row at most 5, turns at most 100',
    );
    const budget = {
      errors: 3,
      consecutiveErrors: 3,
      consecutiveDenials: 0,
      toolErrors: { grep: 1 },
      tokens: 7,
    };
    const manifest = open.manifest && {
      ...open.manifest,
      budgets: {
        ...open.manifest.budgets,
        maxTokens: 9,
        maxWallClockMs: 60_000,
        maxErrorsPerTool: { grep: 2 },
      },
    };
    const capped = { ...open, ...(manifest && { manifest }) };
    expect(steady(timelineLines(capped, wide, [], { budget, turns: 3 }))).toContain(
      'Budget errors 3 of 10, in a row 3 of 4, denials in a row 0 of 5, turns 3 of 100, ' +
        'tokens 7 of 9, errors of grep 1 of 2, at most TIME',
    );
  });

  it('says which events it could not read', () => {
    const damaged = events('denied').map((event) =>
      event.markerRecordedEventAttributes
        ? { ...event, markerRecordedEventAttributes: { markerName: 'core_local_activity' } }
        : event,
    );
    const markers = damaged.filter((event) => event.markerRecordedEventAttributes);
    const lines = timelineLines(timelineOf(damaged), wide);
    // A marker without its data names no activity, and nothing is concluded from it.
    expect(markers.length).toBeGreaterThan(0);
    expect(steady(lines)).toContain('1.1 effect – – – – denied –');
  });

  it('has its further rows in the same columns, and no trailing blanks', () => {
    const lines = timelineLines(timelineOf(events('free')), wide, [['Somewhere', 'else']]);
    expect(lines).toContain('Somewhere  else');
    expect(lines).toContainEqual(expect.stringMatching(/^Run {8}done/));
    expect(lines.filter((line) => /\s$/.test(line))).toEqual([]);
  });
});

describe('the progress of a run', () => {
  it.each(readdirSync(HISTORIES))(
    'shows no arguments, outputs or texts to the model: %s [events:no-args]',
    (file) => {
      const fold = new TimelineFold();
      const shown = events(file.replace(/\.json$/, '')).flatMap((event) =>
        fold.add(event).flatMap((change) => progressLines(change, plain)),
      );
      const { turns, decisions } = fold.timeline;
      const secrets = turns.flatMap(({ calls }) =>
        calls.flatMap(({ proposed, execution }) => [
          proposed.argsText,
          ...(execution?.end && 'text' in execution.end ? [execution.end.text] : []),
        ]),
      );
      const reasons = decisions.flatMap(({ decision }) => (decision?.reason ? [decision.reason] : []));
      expect(
        [...secrets, ...reasons].filter((secret) => secret && shown.join('\n').includes(secret)),
      ).toEqual([]);
    },
  );

  it('is a line for each turn, request, decision and outcome', () => {
    const fold = new TimelineFold();
    const lines = events('edited').flatMap((event) =>
      fold.add(event).flatMap((change) => progressLines(change, plain)),
    );
    expect(steady(lines)).toEqual([
      '1',
      'effect asks',
      'effect a decision of ada (update) was refused: edit_invalid',
      'effect edited by ada (update)',
      'effect ok TIME',
      '2 The model has finished.',
    ]);
  });
});

describe('the surface that is printed', () => {
  it.each([
    [[], 'none', 'none'],
    [[{ name: 'read', riskLevel: 'read_only' as const }], 'read', 'none'],
    [
      [
        { name: 'look', riskLevel: 'safe' as const },
        { name: 'write', riskLevel: 'mutation' as const },
        { name: 'drop', riskLevel: 'dangerous' as const },
      ],
      'look',
      'write, drop',
    ],
  ])('has read-only tools, write-enabled tools, and no shell: %j [surface:print]', (tools, free, asking) => {
    expect(steady(columns(surfaceRows(tools)))).toEqual([
      `Read-only tools ${free} (run without asking, inside the workspace)`,
      `Write-enabled tools ${asking} (a person is asked before each call)`,
      'Shell none',
    ]);
  });

  it('has what the agent protects of its own, made safe to show [surface:print] [path:protected]', () => {
    expect(steady(columns(surfaceRows([], ['a/**', 'b\u202e']))).at(-1)).toBe(
      'Protected too a/**, b\\u{202e} (neither read nor written)',
    );
  });
});
