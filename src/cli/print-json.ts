/**
 * A value as one line of JSON. What could steer a terminal or hide stands escaped, as in `printable`: it is the
 * same JSON to a program.
 */
export function jsonLine(value: object): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
