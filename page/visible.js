import { h } from './dom.js';
import { isUnseen, lookAlikesIn } from './look-alikes.js';

// What a reader cannot see or may take for another character is shown by its code.

/** Text as nodes. `lines`: line breaks and tabs stay. `prose`: what people write, with their dashes and signs. */
export function visible(text, { lines = false, prose = false } = {}) {
  const isAlike = lookAlikesIn(text, { prose });
  const nodes = [];
  let plain = '';
  let at = 0;
  const mark = (node) => {
    if (plain !== '') nodes.push(plain);
    plain = '';
    nodes.push(node);
  };
  for (const character of text) {
    if (lines && (character === '\n' || character === '\t')) plain += character;
    else if (isUnseen(character)) mark(unseen(character));
    else if (isAlike(character, at)) mark(alike(character));
    else plain += character;
    at += character.length;
  }
  if (plain !== '') nodes.push(plain);
  return nodes;
}

/** The same where no elements can stand, such as in a title. */
export function visibleText(text) {
  return h('span', {}, visible(text)).textContent;
}

/** JSON for reading: indented, with what is not seen made visible. */
export function visibleJson(value, name) {
  return h(
    'pre',
    { class: 'json', tabindex: '0', role: 'region', 'aria-label': name },
    visible(JSON.stringify(value, undefined, 2), { lines: true }),
  );
}

/** JSON for writing: the same value, with what is not seen as escapes, which can be changed. */
export function writableJson(value) {
  const text = JSON.stringify(value, undefined, 2);
  return Array.from(text, (character) =>
    character !== '\n' && isUnseen(character) ? escaped(character) : character,
  ).join('');
}

function escaped(character) {
  return character
    .split('')
    .map((unit) => `\\u${hexOf(unit.charCodeAt(0)).toLowerCase()}`)
    .join('');
}

function unseen(character) {
  return h('span', { class: 'code', title: 'A character that is not seen' }, codeOf(character));
}

function alike(character) {
  const code = codeOf(character);
  return h(
    'span',
    { class: 'alike', title: `Looks like another character: ${code}` },
    character,
    h('small', {}, code),
  );
}

function codeOf(character) {
  return `U+${hexOf(character.codePointAt(0))}`;
}

function hexOf(number) {
  return number.toString(16).toUpperCase().padStart(4, '0');
}
