import { fileURLToPath } from 'node:url';
import { defineAgent, ScriptedModel, type Agent, type Model } from 'holdfast';

// An editor whose every change a person sees as a diff and approves, changes or declines.
// `holdfast worker examples/editor/agent.ts`, then `holdfast run editor "Correct the texts."`, then
// `holdfast approvals RUN`, and `holdfast approve | edit | deny RUN CALL`. What was changed by somebody else since it
// was shown is left alone.

export interface EditorOptions {
  /** Holds the texts. */
  readonly workspace: string;
  /** Default `editor`. */
  readonly name?: string;
  /** Default: a script, so that no model is needed. */
  readonly model?: Model;
}

export function editor({ workspace, name = 'editor', model = script() }: EditorOptions): Agent {
  return defineAgent({
    name,
    instructions: 'You correct spelling in texts. Read a text first, and change no more than the mistake.',
    model,
    workspace,
    tools: ['read', 'ls', 'edit', 'write'],
    enableWriteTools: true,
    // Every change is asked about, also when somebody would rather approve them all at once.
    requireApprovalFor: ['edit', 'write'],
    budgets: { maxTurns: 20 },
  });
}

const correct = (path: string, oldText: string, newText: string) => ({
  tool: 'edit',
  args: { path, edits: [{ oldText, newText }] },
});

function script(): Model {
  return new ScriptedModel([
    { calls: [{ tool: 'read', args: { path: 'welcome.md' } }] },
    { text: 'One letter is missing.', calls: [correct('welcome.md', 'Welcom to', 'Welcome to')] },
    { text: 'The name of the month is wrong.', calls: [correct('welcome.md', 'Febuary', 'february')] },
    {
      text: 'I would also shorten it.',
      calls: [{ tool: 'write', args: { path: 'welcome.md', content: 'Hi.\n' } }],
    },
    { text: 'The spelling is correct now.' },
  ]);
}

export default editor({ workspace: fileURLToPath(new URL('workspace', import.meta.url)) });
