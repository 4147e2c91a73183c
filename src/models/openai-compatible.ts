import { HoldfastError } from '../contract/error-codes.js';
import { aiSdkModel } from './ai-sdk-model.js';
import type { Model } from './model.js';

export interface OpenAiCompatibleOptions {
  /** Of the API, up to the part before `/chat/completions`, such as `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** As the endpoint names it. */
  readonly model: string;
  /** Sent as a bearer token. Omitted: no authorization. */
  readonly apiKey?: string;
}

/**
 * A model behind an endpoint that speaks OpenAI's chat completions (`model:providers`). The provider's package
 * is loaded at the first request, so only a worker loads it. Throws HoldfastError `invalid_config` for a base
 * URL that is none, and behaves as `aiSdkModel` says otherwise.
 */
export function openAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  const protocol = URL.canParse(options.baseUrl) ? new URL(options.baseUrl).protocol : undefined;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new HoldfastError(
      'invalid_config',
      'The base URL of the model must begin with http:// or https://.',
    );
  }
  let loading: Promise<Model> | undefined;
  return {
    id: `openai-compatible/${options.model}`,
    generate: async (request) => {
      loading ??= load(options);
      return (await loading).generate(request);
    },
  };
}

async function load({ baseUrl, model, apiKey }: OpenAiCompatibleOptions): Promise<Model> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: baseUrl,
    ...(apiKey !== undefined && { apiKey }),
  });
  return aiSdkModel(provider.chatModel(model));
}
