import { Context } from '@temporalio/activity';
import type { ValidCallInput } from '../src/contract/activities.js';
import { jsonBytes, type JsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { Preview, PreviewVerdict, ShownPreview } from '../src/contract/preview.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import type { RegisteredTool } from '../src/registry/tool-registry.js';
import { wellFormed } from '../src/transcript/well-formed.js';
import { guardArguments } from '../src/workspace/guard-arguments.js';
import type { Workspace } from '../src/workspace/workspace.js';
import { asActivityFailure } from './failures.js';
import { accessOf, protecting } from './guard-paths.js';
import { thrownText } from './thrown-text.js';

export interface PreviewToolCallDeps {
  readonly agentOf: (name: string) => Pick<HostedAgent, 'registry' | 'workspace'>;
}

/** The time of one preview, milliseconds. */
const TIME_MS = 10_000;
const BASIS = /^[\x20-\x7e]{1,128}$/;
const GONE: ShownPreview = { kind: 'failed', text: 'There is no preview: the tool gives none any more.' };

/**
 * Computes what an approver is shown (`hitl:preview`). Local, since it changes nothing. Never throws for what a
 * tool does: a preview that fails is no reason to refuse the call, and the request says that it failed.
 */
export function createPreviewToolCall(deps: PreviewToolCallDeps) {
  return async function previewToolCall(input: ValidCallInput): Promise<PreviewVerdict> {
    const { requestKey, argsDigest } = input;
    try {
      const preview = await judgePreview(deps.agentOf(input.agent), input);
      return { requestKey, argsDigest, preview };
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

/** The preview of a call as its arguments and its files are now. */
export async function judgePreview(
  { registry, workspace }: Pick<HostedAgent, 'registry' | 'workspace'>,
  call: Pick<ValidCallInput, 'tool' | 'pathArgs' | 'riskLevel' | 'protectedPaths' | 'args'>,
): Promise<ShownPreview> {
  const current = registry.get(call.tool);
  if (!current?.preview) return GONE;
  const within = protecting(workspace, call.protectedPaths);
  // Those that the tool declares by now too: its preview takes them for judged.
  const pathArgs = [...new Set([...call.pathArgs, ...current.manifest.pathArgs])];
  const guarded = await guardArguments(within, pathArgs, call.args, accessOf(call.riskLevel));
  if (!guarded.allowed) return { kind: 'failed', text: guarded.text };
  return runPreview({ preview: current.preview, workspace: within, args: guarded.args });
}

interface ReadyPreview {
  readonly preview: NonNullable<RegisteredTool['preview']>;
  readonly workspace: Workspace;
  /** A copy in which each path is a GuardedPath. */
  readonly args: JsonObject;
}

/** Runs a preview whose arguments are guarded. Gives what it gave, cut, or why it failed. Never throws but when cancelled. */
export async function runPreview(
  { preview, workspace, args }: ReadyPreview,
  timeMs = TIME_MS,
): Promise<ShownPreview> {
  const { cancellationSignal } = Context.current();
  const time = AbortSignal.timeout(timeMs);
  const signal = AbortSignal.any([cancellationSignal, time]);
  try {
    // What it does to its arguments is never seen by the tool.
    const given = await Promise.race([
      preview(structuredClone(args), { workspace, signal }),
      aborted(signal),
    ]);
    return isPreview(given)
      ? cut(given)
      : { kind: 'failed', text: 'The preview gave nothing that can be shown.' };
  } catch (error) {
    cancellationSignal.throwIfAborted();
    if (time.aborted) return { kind: 'failed', text: `The preview took longer than ${timeMs / 1000} s.` };
    return { kind: 'failed', text: thrownText(error, workspace.root) };
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // An aborted signal tells nobody any more.
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(new Error('The preview was aborted.')), { once: true });
  });
}

function isPreview(given: unknown): given is Preview {
  if (typeof given !== 'object' || given === null) return false;
  const { kind, text, basis } = given as Partial<Record<keyof Preview, unknown>>;
  const known = kind === 'diff' || kind === 'text';
  return known && typeof text === 'string' && typeof basis === 'string' && BASIS.test(basis);
}

/** Only the three members are taken, and half of a surrogate pair, which no UTF-8 holds, is replaced. */
function cut({ kind, text, basis }: Preview): Preview {
  const whole = wellFormed(text);
  let shown = whole;
  for (let bytes = jsonBytes(shown); bytes > LIMITS.previewBytes; bytes = jsonBytes(shown)) {
    // Shorter by what it has too much; what is escaped takes more than its characters.
    const end = Math.floor((shown.length * LIMITS.previewBytes) / bytes);
    shown = shown.slice(0, end).replace(/[\ud800-\udbff]$/, '');
  }
  if (shown === whole) return { kind, text: whole, basis };
  const size = Buffer.byteLength(whole);
  const notice = `[The preview has ${size} bytes; only its beginning is shown. See the arguments.]`;
  return { kind, text: `${shown}\n${notice}\n`, basis };
}
