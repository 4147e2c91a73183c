import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editor } from '../../examples/editor/agent.js';
import { decisionFor, type DecisionDraft } from '../../src/client.js';
import { loadAgents } from '../../src/cli/load-agents.js';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, toldToModel } from '../harness/history.js';

const text = 'Welcom to our workshop.\n\nIt opens in Febuary.\n';

describe('the editor', () => {
  it('is an agent module that asks before every change [risk:require-approval-for]', async () => {
    const [agent] = await loadAgents(['examples/editor/agent.ts']);
    expect(agent).toMatchObject({ name: 'editor', requireApprovalFor: ['edit', 'write'] });
  });

  it('shows each change as a diff; one is approved, one changed, one declined [hitl:preview] [hitl:edit-told] [hitl:deny]', async () => {
    await withAgent({ script: [], define: editor, files: { 'welcome.md': text } }, async (agent) => {
      const runId = await agent.start('Correct the texts.');
      const edits = [{ oldText: 'Febuary', newText: 'February' }];
      const rulings: readonly (readonly [string, DecisionDraft])[] = [
        ['+Welcome to our workshop.', { decision: 'approve', approver: 'ada' }],
        [
          '+It opens in february.',
          { decision: 'edit', approver: 'ada', args: { path: 'welcome.md', edits } },
        ],
        ['+Hi.', { decision: 'deny', approver: 'ada', reason: 'Keep the text.' }],
      ];
      for (const [shown, draft] of rulings) {
        const request = await agent.request(runId);
        expect(request).toMatchObject({ grantable: false, preview: { kind: 'diff' } });
        expect(request.preview?.text).toContain(shown);
        expect(await agent.client.decide(runId, decisionFor(request, draft))).toMatchObject({
          counted: true,
        });
      }
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', budget: { errors: 0 } });
      expect(await readFile(join(agent.workspace, 'welcome.md'), 'utf8')).toBe(
        'Welcome to our workshop.\n\nIt opens in February.\n',
      );
      const events = await agent.history(runId);
      expect(toldToModel(events).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'denied']);
      expect(markers(events, 'previewToolCall')).toHaveLength(3);
      expect(failedWorkflowTasks(events)).toBe(0);
    });
  });
});
