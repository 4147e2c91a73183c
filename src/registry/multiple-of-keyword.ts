import type { DialectRules } from './dialects.js';

/** A number as `units` of ten to the power of `exponent`. */
interface Decimal {
  readonly units: bigint;
  readonly exponent: number;
}

/**
 * Replaces `multipleOf` by exact arithmetic over the decimals as they are written. ajv's own divides doubles: by
 * it 0.3 is no multiple of 0.1, and 1e17 is one of 0.7 (`schema:2020-12`).
 */
export function addMultipleOfKeyword(ajv: ReturnType<DialectRules['createAjv']>): void {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    compile: (step: number) => (value: number) => isMultiple(decimalOf(value), decimalOf(step)),
  });
}

/** A double has at most 17 digits and an exponent within ±324, so the numbers stay small. */
function isMultiple(value: Decimal, step: Decimal): boolean {
  const least = Math.min(value.exponent, step.exponent);
  return scaled(value, least) % scaled(step, least) === 0n;
}

function scaled({ units, exponent }: Decimal, least: number): bigint {
  return units * 10n ** BigInt(exponent - least);
}

/** By the shortest text that stands for the number, which is how people and models write it. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { units: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
