import { h } from './dom.js';

// What a reader cannot see or may take for another character is shown by its code.

/** Controls, format characters (bidirectional, zero-width, fillers), odd blanks, halves and unassigned ones. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/u;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
/** Scripts whose letters look like Latin ones. */
const LOOK_ALIKE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\u{ff21}-\u{ff5a}\u{1d400}-\u{1d7ff}]/u;
const LATIN = /\p{Script=Latin}/u;

/** Text as nodes. Line breaks and tabs stay where they may. */
export function visible(text, { lines = false } = {}) {
  const suspects = mixedWords(text);
  const nodes = [];
  let plain = '';
  let at = 0;
  const flush = () => {
    if (plain !== '') nodes.push(plain);
    plain = '';
  };
  for (const character of text) {
    const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    if (lines && (character === '\n' || character === '\t')) plain += character;
    else if (UNSEEN.test(character)) {
      flush();
      nodes.push(h('span', { class: 'code', title: 'A character that is not seen' }, code));
    } else if (LOOK_ALIKE.test(character) && suspects.some(([from, to]) => from <= at && at < to)) {
      flush();
      nodes.push(
        h(
          'span',
          { class: 'alike', title: `Looks like another letter: ${code}` },
          character,
          h('small', {}, code),
        ),
      );
    } else plain += character;
    at += character.length;
  }
  flush();
  return nodes;
}

/** Words of letters that look alike mixed with Latin ones. */
function mixedWords(text) {
  return [...text.matchAll(WORD)]
    .filter(([word]) => LATIN.test(word) && LOOK_ALIKE.test(word))
    .map((match) => [match.index, match.index + match[0].length]);
}

/** JSON for reading: indented, with what is not seen made visible. */
export function visibleJson(value) {
  return h(
    'pre',
    { class: 'json', tabindex: '0' },
    visible(JSON.stringify(value, undefined, 2), { lines: true }),
  );
}
