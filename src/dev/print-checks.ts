import pc from 'picocolors';
import type { Check } from './doctor.js';

const MARKS = { ok: pc.green('ok  '), warn: pc.yellow('warn'), fail: pc.red('FAIL') };

/** The checks as lines for a terminal: one each, and one more that says what to do. */
export function formatChecks(checks: readonly Check[]): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, status, detail, fix }) => [
      `${MARKS[status]} ${name.padEnd(width)}  ${detail}`,
      ...(fix ? [`     ${' '.repeat(width)}  ${pc.dim(fix)}`] : []),
    ])
    .join('\n');
}
