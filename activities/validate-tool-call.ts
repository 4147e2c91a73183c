import type { HoldfastActivities, ValidateToolCallInput } from '../src/contract/activities.js';
import type { ValidationVerdict } from '../src/contract/call.js';
import type { CallErrorCode } from '../src/contract/error-codes.js';
import type { Digest, JsonObject } from '../src/contract/json.js';
import type { ManifestTool } from '../src/contract/manifest.js';
import { argsDigest } from '../src/digest.js';
import { stricter } from '../src/policy/risk.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { didYouMean } from '../src/registry/near-name.js';
import { parseArguments, type ParsedArguments } from '../src/registry/parse-arguments.js';
import { nameText } from '../src/registry/place.js';
import { SchemaRefusal } from '../src/registry/schema-refusal.js';
import type { SchemaValidator } from '../src/registry/schema-validator.js';
import type { ToolRegistry } from '../src/registry/tool-registry.js';
import { asActivityFailure } from './failures.js';

export interface ValidateToolCallDeps {
  readonly agentOf: (name: string) => Pick<HostedAgent, 'registry'>;
}

/**
 * Judges a call as the model wrote it, before any guard, person or handler sees it (`schema:before-handler`).
 * Touches nothing; never throws for what a model can cause.
 */
export function createValidateToolCall(deps: ValidateToolCallDeps): HoldfastActivities['validateToolCall'] {
  return async (input) => {
    try {
      return judgeCall(deps.agentOf(input.agent).registry, input);
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

function judgeCall(registry: ToolRegistry, input: ValidateToolCallInput): ValidationVerdict {
  const { requestKey, call, recorded, salt, surface } = input;
  const parsed = call.leftOut === undefined ? parseArguments(call.argsText) : leftOut(call.leftOut);
  if (!recorded) {
    return {
      valid: false,
      requestKey,
      tool: call.tool,
      code: 'unknown_tool',
      text: unknownTool(call.tool, surface),
      ...(parsed.ok && { argsDigest: argsDigest(salt, parsed.args) }),
    };
  }
  if (!parsed.ok) {
    return { valid: false, requestKey, tool: recorded.name, code: 'invalid_args', text: parsed.text };
  }
  return judgeArguments({ registry, recorded, requestKey, salt, args: parsed.args });
}

export interface JudgeArgumentsInput {
  readonly registry: ToolRegistry;
  readonly recorded: ManifestTool;
  readonly requestKey: string;
  readonly args: JsonObject;
  readonly salt: string;
}

/**
 * Judges arguments by the recorded schema and, where the worker's differs, by that too; the risk level is the
 * stricter of both (`risk:pinned`). The arguments come from the model or from a person's edit.
 */
export function judgeArguments(input: JudgeArgumentsInput): ValidationVerdict {
  const { registry, recorded, requestKey, args } = input;
  const tool = recorded.name;
  const digest = digestFor(input);
  const invalid = (code: CallErrorCode, text: string, at?: string): ValidationVerdict => ({
    valid: false,
    requestKey,
    tool,
    code,
    text,
    ...(at !== undefined && { at }),
    ...(digest !== undefined && { argsDigest: digest }),
  });
  if (digest === undefined) {
    return invalid('invalid_args', 'The arguments hold half of a surrogate pair. Send whole characters.');
  }
  const current = registry.get(tool);
  if (!current) {
    return invalid('tool_unavailable', `The tool ${tool} is no longer available. Go on without it.`);
  }
  const validate = recordedValidator(registry, recorded);
  if (!validate) {
    return invalid(
      'check_failed',
      `The schema of ${tool} cannot be checked here, so it did not run. Go on without it.`,
    );
  }
  const fault = validate(args);
  if (fault !== undefined) {
    return invalid('invalid_args', `The arguments do not fit the schema of ${tool}. ${fault.text}`, fault.at);
  }
  const { schemaDigest } = recorded;
  const currentSchemaDigest = current.manifest.schemaDigest;
  const verdict = {
    valid: true,
    requestKey,
    tool,
    args,
    argsDigest: digest,
    schemaDigest,
    riskLevel: stricter(recorded.riskLevel, current.manifest.riskLevel),
  } as const;
  if (currentSchemaDigest === schemaDigest) return verdict;
  const changed = current.validate(args);
  if (changed !== undefined) {
    return invalid(
      'invalid_args',
      `The tool ${tool} has changed since the run began. ${changed.text}`,
      changed.at,
    );
  }
  return { ...verdict, currentSchemaDigest };
}

/** Undefined for arguments that have no canonical JSON: those of an edit may hold half of a surrogate pair. */
function digestFor({ salt, args }: JudgeArgumentsInput): Digest | undefined {
  try {
    return argsDigest(salt, args);
  } catch {
    return undefined;
  }
}

function recordedValidator(registry: ToolRegistry, recorded: ManifestTool): SchemaValidator | undefined {
  try {
    return registry.validatorOf(recorded);
  } catch (error) {
    // Recorded by another version, which accepted it.
    if (error instanceof SchemaRefusal) return undefined;
    throw error;
  }
}

function leftOut(bytes: number): ParsedArguments {
  const text = `The arguments are too large, by themselves or with the others of this answer: ${bytes} bytes. Send less at a time.`;
  return { ok: false, text };
}

function unknownTool(name: string, surface: readonly string[]): string {
  if (surface.length === 0) return 'This run has no tools.';
  return `There is no tool ${nameText(name)}${didYouMean(name, surface)}. The tools are: ${surface.join(', ')}.`;
}
