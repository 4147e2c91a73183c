import { fileURLToPath } from 'node:url';
import { defineAgent, ScriptedModel, type Agent, type Model, type ScriptedTurn } from 'holdfast';

// A long job that cannot run away: every report of a directory is read, one a turn, under caps on turns, tokens,
// time and errors. When one is used up the run waits a week for `holdfast extend RUN --max-turns 40`, and then has
// its last word. `holdfast worker examples/long-job/agent.ts`, then `holdfast run long-job "Go through reports/."`.
// Kill the worker whenever you like and start it again.

export interface LongJobOptions {
  /** Holds `reports/`. */
  readonly workspace: string;
  /** Default `long-job`. */
  readonly name?: string;
  /** Default: a script, so that no model is needed. */
  readonly model?: Model;
}

const REPORTS = 24;
const DAY_MS = 24 * 60 * 60 * 1000;

export function longJob({ workspace, name = 'long-job', model = script() }: LongJobOptions): Agent {
  return defineAgent({
    name,
    instructions: 'Read every report of reports/, one after the other, and say which ones tell of a failure.',
    model,
    workspace,
    tools: ['ls', 'read', 'grep'],
    budgets: {
      maxTurns: 20,
      maxTokens: 2_000_000,
      maxWallClockMs: 30 * DAY_MS,
      maxErrors: 5,
      onExhausted: 'pause',
      exhaustedTimeoutMs: 7 * DAY_MS,
    },
  });
}

function script(): Model {
  const reading = Array.from({ length: REPORTS }, (_none, index): ScriptedTurn => {
    const number = String(index + 1).padStart(2, '0');
    return { calls: [{ tool: 'read', args: { path: `reports/day-${number}.md` } }] };
  });
  const last = { text: 'Days 7 and 19 tell of a failure.' };
  return new ScriptedModel([{ calls: [{ tool: 'ls', args: { path: 'reports' } }] }, ...reading, last]);
}

export default longJob({ workspace: fileURLToPath(new URL('workspace', import.meta.url)) });
