import { HoldfastError } from '../contract/error-codes.js';
import { LIMITS } from '../contract/limits.js';
import type { ManifestTool } from '../contract/manifest.js';
import { RISK_LEVELS, type RiskLevel, type ToolDef } from '../contract/tool.js';
import { didYouMean } from './near-name.js';

/** What a definition says besides its schema and paths, every default filled in. */
export type CheckedDefinition = Omit<
  ManifestTool,
  'parameters' | 'schemaDigest' | 'pathArgs' | 'source' | 'previews' | 'dialect' | 'ignored'
>;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The longest that a timer of Node can wait, milliseconds. */
const MOST_MS = 2 ** 31 - 1;
/** Escaped as JSON, six times this still fits one payload, beside edited arguments (`run:payloads`). */
const MOST_OUTPUT_BYTES = 192 * 1024;

const FIELDS: readonly (keyof ToolDef)[] = [
  'name',
  'description',
  'label',
  'riskLevel',
  'parameters',
  'pathArgs',
  'timeoutMs',
  'heartbeatMs',
  'idempotent',
  'maxAttempts',
  'parallel',
  'repeatable',
  'maxOutputBytes',
];

/**
 * Judges all of a definition but its schema and paths (`tool:def`, `tool:name`, `tool:risk-levels`,
 * `surface:no-shell`). Throws HoldfastError `invalid_tool`, naming the tool and the field. Definitions may come
 * from JavaScript, so nothing is taken for granted.
 */
export function checkDefinition(def: ToolDef, warn: (line: string) => void): CheckedDefinition {
  const name = checkName(def?.name);
  const refuse = (field: string, rule: string): HoldfastError =>
    new HoldfastError('invalid_tool', `Tool ${name}: ${field} ${rule}.`);
  for (const field of Object.keys(def)) {
    if (!FIELDS.some((known) => known === field)) {
      throw refuse(field, `is no field of a definition${didYouMean(field, FIELDS)}`);
    }
  }
  const { description, label, idempotent, maxAttempts } = def;
  if (typeof description !== 'string' || description.trim() === '') {
    throw refuse('description', 'must say what the tool does: it is what the model reads');
  }
  if (label !== undefined && (typeof label !== 'string' || label.trim() === '')) {
    throw refuse('label', 'must be a text that is not empty, or be left out');
  }
  if (maxAttempts !== undefined && idempotent !== true) {
    throw refuse('maxAttempts', 'is for idempotent tools only; leave it out, or declare idempotent: true');
  }
  const flag = (field: 'idempotent' | 'parallel' | 'repeatable'): boolean => {
    const value = def[field] ?? false;
    if (typeof value !== 'boolean') throw refuse(field, 'must be true or false');
    return value;
  };
  const whole = (
    field: 'timeoutMs' | 'heartbeatMs' | 'maxAttempts' | 'maxOutputBytes',
    standard: number,
    [least, most]: readonly [number, number],
  ): number => {
    const value = def[field] ?? standard;
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      throw refuse(field, `must be a whole number from ${least} to ${most}`);
    }
    return value;
  };
  return {
    name,
    description,
    ...(label !== undefined && { label }),
    riskLevel: checkRisk(name, def.riskLevel, warn),
    timeoutMs: whole('timeoutMs', 60_000, [1, MOST_MS]),
    heartbeatMs: whole('heartbeatMs', 10_000, [100, MOST_MS]),
    idempotent: flag('idempotent'),
    maxAttempts: flag('idempotent') ? whole('maxAttempts', 3, [1, 100]) : 1,
    parallel: flag('parallel'),
    repeatable: flag('repeatable'),
    maxOutputBytes: whole('maxOutputBytes', LIMITS.outputBytes, [1024, MOST_OUTPUT_BYTES]),
  };
}

function checkName(name: unknown): string {
  if (typeof name !== 'string' || !NAME.test(name)) {
    const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : 'without a name';
    throw new HoldfastError('invalid_tool', `Tool ${shown}: name must match ${NAME.source}.`);
  }
  if (name === 'bash') {
    throw new HoldfastError('invalid_tool', 'Tool bash: there is no shell, so no tool may have this name.');
  }
  return name;
}

function checkRisk(name: string, riskLevel: unknown, warn: (line: string) => void): RiskLevel {
  if (riskLevel === undefined) {
    warn(
      `Tool ${name}: no riskLevel, so it is taken for mutation. Declare one of ${RISK_LEVELS.join(', ')}.`,
    );
    return 'mutation';
  }
  const known = RISK_LEVELS.find((level) => level === riskLevel);
  if (known === undefined) {
    const shown = (JSON.stringify(riskLevel) ?? typeof riskLevel).slice(0, 80);
    throw new HoldfastError(
      'invalid_tool',
      `Tool ${name}: riskLevel ${shown} is none of ${RISK_LEVELS.join(', ')}.`,
    );
  }
  return known;
}
