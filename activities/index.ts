import type { HoldfastActivities } from '../src/contract/activities.js';
import type { AskedActivities } from '../src/contract/preview.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import type { TrustedKeys } from '../src/signing/trusted-keys.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import type { CheckedWebhook } from '../src/webhooks/webhooks.js';
import { createAnnounceRequest } from './announce-request.js';
import { createCallModel } from './call-model.js';
import { createComparePreview } from './compare-preview.js';
import { createExecuteTool } from './execute-tool.js';
import { createGuardPaths } from './guard-paths.js';
import { createPreviewToolCall } from './preview-tool-call.js';
import { createPrepareRun } from './prepare-run.js';
import { createValidateApproval } from './validate-approval.js';
import { createValidateToolCall } from './validate-tool-call.js';

export interface ActivityDeps {
  /** The agents that this worker holds. Throws HoldfastError `unknown_agent` for any other name. */
  readonly agentOf: (name: string) => HostedAgent;
  readonly transcript: TranscriptStore;
  readonly trustedKeys: TrustedKeys;
  /** Whether the namespace knows the search attribute of what waits. Default true. */
  readonly listed?: boolean;
  readonly webhooks: readonly CheckedWebhook[];
}

/** The activities of a worker: where the world is touched. */
export function createActivities(deps: ActivityDeps): HoldfastActivities & AskedActivities {
  return {
    prepareRun: createPrepareRun(deps),
    callModel: createCallModel(deps),
    validateToolCall: createValidateToolCall(deps),
    guardPaths: createGuardPaths(deps),
    previewToolCall: createPreviewToolCall(deps),
    validateApproval: createValidateApproval(deps),
    executeTool: createExecuteTool(deps),
    announceRequest: createAnnounceRequest(deps),
    comparePreview: createComparePreview(deps),
  };
}
