// The library: what an agent module and a program that starts runs import.
export { HoldfastClient, decisionFor, type ClientOptions, type DecisionDraft } from './client.js';
export type { Webhook } from './webhooks/webhooks.js';
export { createWorker, type HoldfastWorker, type WorkerOptions } from './worker.js';
export { defineAgent, type Agent, type AgentOptions } from './registry/define-agent.js';
export { defineTool } from './registry/define-tool.js';
export { piTool, type PiTool } from './foreign/pi-tool.js';
export { aiSdkTool, type AiSdkTool } from './foreign/ai-sdk-tool.js';
export type { Adoption } from './foreign/adoption.js';
export { RetryableToolError } from './registry/retryable-tool-error.js';
export type {
  PreviewContext,
  Tool,
  ToolContext,
  ToolHandler,
  ToolPreview,
  ToolLogger,
  ToolResult,
} from './registry/tool.js';
export type { Preview } from './contract/preview.js';
export { PreconditionChangedError } from './registry/precondition-changed-error.js';
export { ToolOutcome, type ToolDef, type RiskLevel } from './contract/tool.js';
export { ERROR_CODES, HoldfastError, type ErrorCode } from './contract/error-codes.js';
export type { ApprovalRequest, CountedApproval, Decision, DecisionAnswer } from './contract/decision.js';
export type {
  ApprovalPolicy,
  ApproverNames,
  ApproverRule,
  AutoDenyRule,
} from './contract/approval-policy.js';
export type { DecisionSigner, SignatureKind, SignedDecision } from './contract/signed-decision.js';
export { KeyDirectory } from './signing/key-directory.js';
export type { TrustedKey, TrustedKeys } from './signing/trusted-keys.js';
export type { EventCall, FollowOptions, RunEvent } from './contract/events.js';
export type { BudgetExtension, ControlAnswer } from './contract/control.js';
export type { RunResult, RunStatus } from './contract/run.js';
export type { StartRequest } from './contract/manifest.js';
export { ModelFailure, type Model, type ModelRequest, type ModelResponse } from './models/model.js';
export {
  ScriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedTurn,
} from './models/scripted-model.js';
export { openAiCompatibleModel } from './models/openai-compatible.js';
export { configuredModel } from './models/configured-model.js';
export { aiSdkModel } from './models/ai-sdk-model.js';
export { FileTranscriptStore } from './transcript/file-store.js';
export type { TranscriptStore } from './transcript/store.js';
