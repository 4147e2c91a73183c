import { describe, expect, it } from 'vitest';
import { policyOf, policyRows } from '../../src/cli/policy-rows.js';
import { ScriptedModel } from '../../src/models/scripted-model.js';
import { defineAgent } from '../../src/registry/define-agent.js';
import { hostAgent } from '../../src/registry/hosted-agent.js';

describe('what the doctor says of a policy', () => {
  it('tells what is denied at once, and whom an undecided request is announced to [hitl:escalate] [hitl:authz]', async () => {
    const agent = defineAgent({
      name: 'clerk',
      instructions: '',
      workspace: 'examples',
      model: new ScriptedModel([]),
      enableWriteTools: true,
      tools: ['read', 'grep', 'write'],
      approvals: {
        rules: [{ approvers: ['ada', 'bob'] }],
        autoDeny: [{ tools: ['grep'] }],
        escalateAfterMs: 60_000,
        escalateTo: { approvers: ['bob', 'eve'] },
      },
    });
    const host = await hostAgent(agent, { warn: () => undefined });
    const rows = policyRows(host).map((row) => row.join(' | '));
    expect(rows).toContain('grep | read_only | nobody: denied by policy');
    expect(rows.filter((row) => row.startsWith('read '))).toEqual([]);
    expect(rows.filter((row) => row.startsWith('write | mutation | ada, bob | 1'))).toHaveLength(1);
    expect(rows.join('\n')).toMatch(/nobody decided is announced again after .*, to bob\.$/m);
    expect(policyOf(host)).toMatchObject([
      { tool: 'grep', denied: true },
      { tool: 'write', next: ['bob'] },
    ]);
  });
});
