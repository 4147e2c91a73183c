import { readConfig } from '../config.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { Model } from './model.js';
import { openAiCompatibleModel } from './openai-compatible.js';

/**
 * The OpenAI-compatible model that the environment names: HOLDFAST_MODEL_BASE_URL, HOLDFAST_MODEL and, where
 * needed, HOLDFAST_MODEL_API_KEY. Throws HoldfastError `invalid_config` when none is configured, or badly.
 */
export function configuredModel(): Model {
  const { modelEndpoint } = readConfig();
  if (modelEndpoint) return openAiCompatibleModel(modelEndpoint);
  const text = 'No model is configured. Set HOLDFAST_MODEL_BASE_URL and HOLDFAST_MODEL.';
  throw new HoldfastError('invalid_config', text);
}
