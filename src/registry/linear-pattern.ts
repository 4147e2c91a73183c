import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';
import { codePointsOf, complement, union, type CodePoints } from './code-points.js';

/** A compiled pattern whose matching time grows linearly with the text (`schema:bounded`). */
export interface LinearPattern {
  /** True when the pattern matches anywhere in the text, as JSON Schema wants it. */
  test(text: string): boolean;
  /** The pattern as it was written; distinct patterns have distinct texts. */
  toString(): string;
}

/** Why a pattern was refused: a sentence for the author of the schema. */
export class PatternRefusal extends Error {
  override readonly name = 'PatternRefusal';
}

const DIGIT: CodePoints = [[0x30, 0x39]];
const WORD: CodePoints = union([...DIGIT, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]);
const SPACE: CodePoints = union([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
const LINE_ENDS: CodePoints = union([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);
const MOST_REPEATS = 1000;

/**
 * Compiles an ECMA-262 pattern (flag `u`) for RE2. The pattern is parsed and written out anew, every set of
 * characters as explicit code points, because the two engines read `.`, `\s` and `\p{…}` differently and a
 * difference could accept a wrong value. Throws PatternRefusal for what has no linear-time form.
 */
export function compilePattern(source: string): LinearPattern {
  const re2 = compile(write(parse(source)));
  return { test: (text) => re2.test(text), toString: () => `/${source}/u` };
}

function parse(source: string): AST.Pattern {
  try {
    return new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, { unicode: true });
  } catch (error) {
    throw new PatternRefusal('is no regular expression of ECMA-262 with the flag u', { cause: error });
  }
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new PatternRefusal('is too large for the linear-time engine; make it simpler', { cause: error });
  }
}

function write(node: AST.Pattern | AST.Group | AST.CapturingGroup): string {
  return node.alternatives.map((a) => `(?:${a.elements.map(writeElement).join('')})`).join('|');
}

function writeElement(node: AST.Element): string {
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return `(?:${write(node)})`;
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return writeSet(pointsOf(node));
    case 'Quantifier':
      return `(?:${writeElement(node.element)})${writeRepeat(node)}`;
    case 'Assertion':
      return writeAssertion(node);
    case 'Backreference':
      throw new PatternRefusal('has a back-reference, which has no linear-time form');
    case 'ExpressionCharacterClass':
      throw new PatternRefusal('has a set operation of the flag v; JSON Schema has the flag u');
  }
}

function writeAssertion(node: AST.Assertion): string {
  switch (node.kind) {
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'word':
      return node.negate ? '\\B' : '\\b';
    case 'lookahead':
    case 'lookbehind':
      throw new PatternRefusal(`has a ${node.kind}, which has no linear-time form; use allOf or not instead`);
  }
}

function writeRepeat({ min, max }: AST.Quantifier): string {
  if (min > MOST_REPEATS || (max > MOST_REPEATS && max !== Infinity)) {
    throw new PatternRefusal(`repeats more than ${MOST_REPEATS} times; use maxLength or maxItems instead`);
  }
  return max === Infinity ? `{${min},}` : `{${min},${max}}`;
}

function writeSet(set: CodePoints): string {
  const [only] = set;
  // RE2 has no empty set; what is outside of everything is one.
  if (!only) return '[^\\x{0}-\\x{10FFFF}]';
  if (set.length === 1 && only[0] === only[1]) return hex(only[0]);
  return `[${set.map(([first, last]) => `${hex(first)}-${hex(last)}`).join('')}]`;
}

function hex(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

type SetNode = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.CharacterClassElement;

function pointsOf(node: SetNode): CodePoints {
  switch (node.type) {
    case 'Character':
      return [[node.value, node.value]];
    case 'CharacterClassRange':
      return [[node.min.value, node.max.value]];
    case 'CharacterSet':
      return pointsOfEscape(node);
    case 'CharacterClass': {
      const set = union(node.elements.flatMap(pointsOf));
      return node.negate ? complement(set) : set;
    }
    case 'ClassStringDisjunction':
    case 'ExpressionCharacterClass':
      throw new PatternRefusal('has a set operation of the flag v; JSON Schema has the flag u');
  }
}

function pointsOfEscape(node: AST.CharacterSet): CodePoints {
  switch (node.kind) {
    case 'any':
      return complement(LINE_ENDS);
    case 'digit':
      return node.negate ? complement(DIGIT) : DIGIT;
    case 'word':
      return node.negate ? complement(WORD) : WORD;
    case 'space':
      return node.negate ? complement(SPACE) : SPACE;
    case 'property':
      // The parser has accepted it, so this is one escape such as \p{L}.
      return codePointsOf(new RegExp(`^${node.raw}$`, 'u'));
  }
}
