/** A text as lines of at most `width` characters, broken at blanks. A word that is longer stands alone and whole. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split(' ').reduce<readonly string[]>((lines, word) => {
    const line = lines.at(-1);
    if (line === undefined) return [word];
    return line.length + 1 + word.length > width
      ? [...lines, word]
      : [...lines.slice(0, -1), `${line} ${word}`];
  }, []);
}
