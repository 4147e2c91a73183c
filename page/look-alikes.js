// Characters that a reader does not see, or takes for others.

/** Controls, format characters (bidirectional, zero-width, fillers), odd blanks, halves and unassigned ones. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/u;
/** Look like a slash, a backslash, a colon, a hyphen, a stop, a bar, an asterisk or a Latin letter, and decompose to none. */
const TWINS = new Set(
  '\u2215\u2044\u2571\u29f8\u2216\u29f5\u29f9\u2236\u02d0\ua789\u0589\u05c3\u2010\u2011\u2012\u2013\u2212\u2043\u02d7' +
    '\ua4f8\u0660\u06d4\u0701\u01c0\u2223\u2217\u204e\u0261\u0251\u0131\u0269\u026a\u1d0f\u1d1c\u1d20\u1d21\u1d22',
);
/** Scripts whose letters look like Latin ones. */
const FOREIGN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const LATIN = /\p{Script=Latin}/u;
/** Words of these alone read as Latin ones. */
const READS_AS_LATIN =
  /^[\u0430\u0441\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u051b\u0455\u051d\u0445\u0443\u0475\u0501\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423\u04ae\u051a\u051c\u03bf\u03bd\u03b1\u03c1\u03c5\u03b9\u03ba\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\p{Script=Cherokee}\p{Script=Lisu}\p{N}_]+$/u;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const ASCII = /^[\x21-\x7e]+$/;
const MARK_OR_SIGN = /[\p{P}\p{S}\p{No}]/u;

export function isUnseen(character) {
  return UNSEEN.test(character);
}

/**
 * Tells for a text which of its characters look like others: `(character, at) => boolean`, `at` being the index of its
 * first half. In prose, people's own dashes and signs are none.
 */
export function lookAlikesIn(text, { prose }) {
  const suspects = suspectWords(text);
  return (character, at) =>
    (character > '\x7f' && !(prose && MARK_OR_SIGN.test(character)) && isTwin(character)) ||
    (FOREIGN.test(character) && suspects.some(([from, to]) => from <= at && at < to));
}

function isTwin(character) {
  return TWINS.has(character) || ASCII.test(character.normalize('NFKC'));
}

/** Words in which letters that look alike are mixed with Latin ones, or stand alone and read as a Latin word. */
function suspectWords(text) {
  const words = [...text.matchAll(WORD)];
  return words
    .filter(([word], nth) => {
      if (!FOREIGN.test(word)) return false;
      if (LATIN.test(word)) return true;
      return READS_AS_LATIN.test(word) && !standsAmong(text, words[nth], words[nth - 1], words[nth + 1]);
    })
    .map(rangeOf);
}

/** A word beside one of its own script is of that language, such as the shortest words of a Russian sentence. */
function standsAmong(text, word, ...others) {
  return others.some((other) => {
    if (other === undefined || !FOREIGN.test(other[0]) || READS_AS_LATIN.test(other[0])) return false;
    const [[, end], [start]] = [word, other].map(rangeOf).toSorted(([a], [b]) => a - b);
    return !LATIN.test(other[0]) && /^[ ,]+$/.test(text.slice(end, start));
  });
}

function rangeOf(match) {
  return [match.index, match.index + match[0].length];
}
