import { Context } from '@temporalio/activity';
import type { CallModelInput, CallModelResult, HoldfastActivities } from '../src/contract/activities.js';
import { HoldfastError } from '../src/contract/error-codes.js';
import type { Digest, JsonObject } from '../src/contract/json.js';
import type { Manifest } from '../src/contract/manifest.js';
import { boundedContent } from '../src/models/bounded-content.js';
import type { Model } from '../src/models/model.js';
import { readResponse } from '../src/models/read-response.js';
import { appendNode, loadChain } from '../src/transcript/chain.js';
import { loadMessages } from '../src/transcript/messages.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import { askModel } from './ask-model.js';
import { asActivityFailure } from './failures.js';
import { heartbeating } from './heartbeating.js';

export interface CallModelDeps {
  /** Throws HoldfastError `unknown_agent` for a name that the worker does not hold. */
  readonly agentOf: (name: string) => { readonly model: Model };
  readonly transcript: TranscriptStore;
}

/**
 * The activity `callModel`: appends what is new as one node, asks the model with the whole chain, appends its
 * answer as the next node and gives the new head (`run:transcript`). Instructions and tools are those of the
 * recorded manifest, whatever the worker holds today (`risk:pinned`). Every attempt is one request; a repeated
 * attempt appends the same first node again, which changes nothing. Failures are those of `asActivityFailure`.
 */
export function createCallModel(deps: CallModelDeps): HoldfastActivities['callModel'] {
  return async (input) => {
    const context = Context.current();
    try {
      return await heartbeating(context, () => askAndAppend(context, deps, input));
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

async function askAndAppend(
  context: Context,
  { agentOf, transcript }: CallModelDeps,
  { agent, manifestDigest, head, append, tools }: CallModelInput,
): Promise<CallModelResult> {
  const { model } = agentOf(agent);
  const manifest = await loadManifest(transcript, manifestDigest);
  const node = { version: 1, manifest: manifestDigest } as const;
  const asked =
    append.length > 0 ? await appendNode(transcript, { ...node, parent: head, entries: append }) : head;
  const request = {
    instructions: manifest.instructions,
    messages: await loadMessages(transcript, await loadChain(transcript, manifestDigest, asked)),
    tools:
      tools === 'none'
        ? []
        : manifest.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
  const response = readResponse(await askModel(context, model, request, manifest.modelTimeoutMs));
  // A call of the last word could have no outcome: no turn follows in which it would get one.
  const content = boundedContent(tools === 'none' ? { ...response, calls: [] } : response);
  const answered = await appendNode(transcript, {
    ...node,
    parent: asked,
    entries: [{ kind: 'assistant', content }],
  });
  return { content, finishReason: response.finishReason, usage: response.usage, head: answered };
}

async function loadManifest(transcript: TranscriptStore, digest: Digest): Promise<Manifest> {
  const manifest = await transcript.get(digest);
  if (isManifest(manifest)) return manifest;
  throw new HoldfastError(
    'transcript_damaged',
    `Transcript entry ${digest} should be a manifest and is none.`,
  );
}

/** The digest vouches for what stands inside: only `prepareRun` writes such values. */
function isManifest(value: JsonObject): value is JsonObject & Manifest {
  return (
    value.version === 1 &&
    typeof value.instructions === 'string' &&
    typeof value.modelTimeoutMs === 'number' &&
    Array.isArray(value.tools)
  );
}
