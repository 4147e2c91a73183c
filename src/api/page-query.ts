import type { JsonObject } from '../contract/json.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { ObjectSchema } from '../contract/tool.js';
import { ApiRefusal } from './problem.js';
import type { AnswerDoc } from './route.js';

/** What a query says of the page that it wants. */
export interface PageQuery {
  readonly limit?: string;
  readonly page?: string;
}

/** Runs in a page unless the query says otherwise. */
const DEFAULT_LIMIT = 50;

const PAGE_PROPERTIES = {
  limit: {
    type: 'string',
    pattern: '^([1-9][0-9]?|100)$',
    description: `Runs, from 1 to 100. Default ${DEFAULT_LIMIT}.`,
  },
  page: {
    type: 'string',
    pattern: '^[A-Za-z0-9_-]+$',
    maxLength: 2000,
    description: 'nextPage of the page before.',
  },
} as const;

export const NAME_PROPERTY = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } as const;

/** The query of a page of runs: these filters, how many, and from where. */
export function pageQuery(filters: Readonly<Record<string, JsonObject>>): ObjectSchema {
  return { type: 'object', properties: { ...filters, ...PAGE_PROPERTIES }, additionalProperties: false };
}

/** A page of runs as it is answered, each run an object of these members. */
export function pageAnswer(description: string, required: readonly string[], run: JsonObject): AnswerDoc {
  const items = { type: 'object', required, properties: run };
  return {
    description,
    schema: {
      type: 'object',
      required: ['runs'],
      properties: { runs: { type: 'array', items }, nextPage: { type: 'string' } },
    },
  };
}

/** Reads a page by `list`. Throws ApiRefusal `malformed_request` for a page that the server did not give. */
export async function pageBy<Page>(
  { limit, page }: PageQuery,
  list: (wanted: { readonly limit: number; readonly page: string | undefined }) => Promise<Page>,
): Promise<Page> {
  try {
    return await list({ limit: Number(limit ?? DEFAULT_LIMIT), page });
  } catch (error) {
    if (!(error instanceof HoldfastError && error.code === 'invalid_config')) throw error;
    const text = 'This page is none that the server gave. Leave page out to begin anew.';
    throw new ApiRefusal('malformed_request', text, {
      errors: [{ in: 'query', detail: 'page: none that the server gave.' }],
    });
  }
}
