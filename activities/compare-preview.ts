import type { ComparePreviewInput, PreviewComparison } from '../src/contract/preview.js';
import { basisOf } from '../src/policy/preview-basis.js';
import { stricter } from '../src/policy/risk.js';
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
      const hosted = deps.agentOf(agent);
      const current = hosted.registry.get(call.tool);
      // Anybody may ask: a preview is promised arguments of its schema, at the level that its tool has.
      if (!current || current.validate(call.args) !== undefined) return 'changed';
      const riskLevel = stricter(call.riskLevel, current.manifest.riskLevel);
      const now = await judgePreview(hosted, { ...call, riskLevel, pathArgs: [], protectedPaths: [] });
      return basisOf(now) === basis ? 'same' : 'changed';
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}
