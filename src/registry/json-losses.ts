import { isWellFormed } from './plain-json.js';
import { member } from './place.js';

const TOKEN = /[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null/g;

interface Level {
  readonly place: string;
  /** Names seen so far in an object; absent in an array. */
  readonly names?: Set<string>;
  /** Index in an array. */
  index: number;
  /** The name whose value comes next, in an object. */
  name?: string | undefined;
}

/**
 * What JSON.parse has dropped or changed without a word in a text that it accepted: a member named twice, half
 * of a surrogate pair, a number that a double does not hold (`schema:strict-json`). Undefined when nothing.
 */
export function lossIn(json: string): string | undefined {
  const levels: Level[] = [];
  for (const [token] of json.matchAll(TOKEN)) {
    const level = levels.at(-1);
    switch (token) {
      case '{':
      case '[':
        levels.push({ place: placeIn(level), index: 0, ...(token === '{' && { names: new Set<string>() }) });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level) next(level);
        break;
      default: {
        const loss = token.startsWith('"') ? lossInString(token, level) : lossInNumber(token, level);
        if (loss !== undefined) return loss;
      }
    }
  }
  return undefined;
}

function next(level: Level): void {
  level.index += 1;
  level.name = undefined;
}

function lossInString(token: string, level: Level | undefined): string | undefined {
  const text: unknown = JSON.parse(token);
  if (typeof text !== 'string') return undefined;
  if (!isWellFormed(text))
    return `${placeIn(level) || 'the text'}: half of a surrogate pair; send whole characters`;
  if (!level?.names || level.name !== undefined) return undefined;
  if (level.names.has(text)) return `${member(level.place, text)}: named twice; name each member once`;
  level.names.add(text);
  level.name = text;
  return undefined;
}

function lossInNumber(token: string, level: Level | undefined): string | undefined {
  if (!/^-?\d/.test(token) || isHeld(token)) return undefined;
  return `${placeIn(level)}: a number too large, too small or too long to be held exactly; send it as a string`;
}

function placeIn(level: Level | undefined): string {
  if (!level) return '';
  if (!level.names) return `${level.place}[${level.index}]`;
  return level.name === undefined ? level.place : member(level.place, level.name);
}

/** True for a fraction, and for an integer that is exactly the double that it was parsed to. */
function isHeld(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return true;
  if (value === 0) return false;
  const significant = digits.replace(/0+$/, '');
  const zeros = digits.length - significant.length + Number(exponent) - fraction.length;
  // A finite double has at most 309 digits, so this stays small.
  return zeros < 0 || BigInt(significant) * 10n ** BigInt(zeros) === BigInt(Math.abs(value));
}
