import { relative } from 'node:path';
import type { TemporalAccess } from '../../dev/connect-temporal.js';
import { columns } from '../columns.js';
import { surfaceRows } from '../print-surface.js';
import type { DevJob } from './job.js';

/** What will run, on what, with which tools, and who decides. */
export function headerLines(
  { agent, runId, isExample, decidedBy }: DevJob,
  { source }: TemporalAccess,
  tools: Parameters<typeof surfaceRows>[0],
): readonly string[] {
  const files = relative(process.cwd(), agent.workspace) || '.';
  const rows = [
    ['Agent', isExample ? 'examples/fix-a-defect' : 'your own files'],
    ['Model', agent.model.id],
    ['Workspace', isExample ? `${files} (a copy)` : files],
    ...surfaceRows(tools),
    ['Decisions', decidedBy === 'person' ? 'asked here' : 'by a second process, through the client library'],
    ['Run', runId],
  ];
  return [source, '', ...columns(rows), ''];
}
