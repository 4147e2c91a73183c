/**
 * Text that a model or a file wrote, made safe to show: line feeds and tabs stay, every other control, format or
 * invisible character stands as its code, so that it can neither steer the terminal nor hide.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) => (character === '\n' || character === '\t' ? character : codeOf(character)),
  );
}

/** The same on one line, cut to `most` characters. */
export function printableLine(text: string, most: number): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
