import type { JsonObject } from '../contract/json.js';
import { RISK_LEVELS } from '../contract/tool.js';

const DIGEST = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const TIME = { type: 'number', description: 'Milliseconds since the epoch.' };

/** What a list of requests tells of each; `paths` are relative to the workspace. */
export const SUMMARY_PROPERTIES: JsonObject = {
  requestKey: { type: 'string' },
  runId: { type: 'string' },
  call: {
    type: 'object',
    required: ['turn', 'index'],
    properties: { turn: { type: 'integer' }, index: { type: 'integer' } },
  },
  tool: { type: 'string' },
  label: { type: 'string' },
  riskLevel: { enum: [...RISK_LEVELS] },
  argsDigest: DIGEST,
  schemaDigest: DIGEST,
  paths: { type: 'array', items: { type: 'string' } },
  requestedAt: TIME,
  expiresAt: TIME,
  grantable: { type: 'boolean' },
  quorum: { type: 'integer', minimum: 2, description: 'How many approvers must approve. Absent: one.' },
  approvals: {
    type: 'array',
    description: 'Those who approved so far, of a request that needs more.',
    items: {
      type: 'object',
      required: ['approver', 'decisionId', 'keyId', 'kind', 'scope', 'evidence'],
      properties: {
        approver: { type: 'string' },
        decisionId: { type: 'string' },
        keyId: { type: 'string' },
        kind: { enum: ['held', 'attested'] },
        scope: { enum: ['once', 'run'] },
        evidence: DIGEST,
      },
    },
  },
};

const OPTIONAL: readonly string[] = ['label', 'quorum', 'approvals'];
export const SUMMARY_REQUIRED = Object.keys(SUMMARY_PROPERTIES).filter((name) => !OPTIONAL.includes(name));

/** A request in full. What the model wrote is untrusted: whoever shows it makes control characters visible. */
export const REQUEST_SCHEMA: JsonObject = {
  type: 'object',
  required: [
    'requestKey',
    'runId',
    'call',
    'tool',
    'riskLevel',
    'args',
    'argsDigest',
    'schemaDigest',
    'paths',
    'modelText',
    'expiresAt',
  ],
  properties: {
    ...SUMMARY_PROPERTIES,
    args: { type: 'object' },
    paths: { type: 'array', items: { type: 'object' } },
    preview: { type: 'object' },
    modelText: { type: 'string' },
    edited: { type: 'object', description: 'Set when the arguments are those of an edit.' },
  },
};
