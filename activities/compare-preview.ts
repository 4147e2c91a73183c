import type { ComparePreviewInput, PreviewComparison } from '../src/contract/preview.js';
import { basisOf } from '../src/policy/preview-basis.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { asActivityFailure } from './failures.js';
import { judgePreview } from './preview-tool-call.js';

export interface ComparePreviewDeps {
  readonly agentOf: (name: string) => Pick<HostedAgent, 'registry' | 'workspace'>;
}

/**
 * Says for a page whether a shown preview still rests on what is there (`hitl:preview`), as the execution will judge
 * it: with the guard, the tool's own preview, and the same comparison. Asked without a run, whose history it leaves
 * alone, and answers with one word: whoever asks learns nothing of what the files hold.
 */
export function createComparePreview(deps: ComparePreviewDeps) {
  return async function comparePreview({
    agent,
    basis,
    ...call
  }: ComparePreviewInput): Promise<PreviewComparison> {
    try {
      const now = await judgePreview(deps.agentOf(agent), { ...call, pathArgs: [], protectedPaths: [] });
      return basisOf(now) === basis ? 'same' : 'changed';
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}
