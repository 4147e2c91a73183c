import { Ajv } from 'ajv';
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import type { Dialect } from '../contract/manifest.js';
import { KEYWORDS_07, KEYWORDS_2020, UNSUPPORTED_2020, type KeywordKind } from './schema-keywords.js';

/** A draft of JSON Schema as schemas are read and compiled by it. */
export interface DialectRules {
  readonly name: Dialect;
  /** Its metaschema, by the URI that `$schema` names. */
  readonly uri: string;
  readonly keywords: ReadonlyMap<string, KeywordKind>;
  /** Keywords whose meaning the validator would lose, and why each is refused. */
  readonly unsupported: ReadonlyMap<string, string>;
  /** Whether what stands beside `$ref` has no effect. */
  readonly refStandsAlone: boolean;
  readonly createAjv: (options: Options) => Ajv | Ajv2020;
}

export const DRAFT_2020: DialectRules = {
  name: '2020-12',
  uri: 'https://json-schema.org/draft/2020-12/schema',
  keywords: KEYWORDS_2020,
  unsupported: UNSUPPORTED_2020,
  refStandsAlone: false,
  createAjv: (options) => new Ajv2020(options),
};

/** As most servers of foreign tools still write (`schema:2020-12`). */
export const DRAFT_07: DialectRules = {
  name: 'draft-07',
  uri: 'http://json-schema.org/draft-07/schema',
  keywords: KEYWORDS_07,
  unsupported: new Map(),
  refStandsAlone: true,
  createAjv: (options) => new Ajv(options),
};
