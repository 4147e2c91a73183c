/** A set of Unicode code points: ascending ranges, both ends included, that neither touch nor overlap. */
export type CodePoints = readonly (readonly [first: number, last: number])[];

const LAST = 0x10ffff;

/** Joins ranges in any order into a set. */
export function union(ranges: CodePoints): CodePoints {
  const joined: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = joined.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** Every code point that is not in the set. */
export function complement(set: CodePoints): CodePoints {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) gaps.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST) gaps.push([next, LAST]);
  return gaps;
}

/** The code points that a native pattern of one character matches, as this Node's Unicode tables have them. */
export function codePointsOf(pattern: RegExp): CodePoints {
  const ranges: [number, number][] = [];
  for (let point = 0; point <= LAST; point += 1) {
    if (!pattern.test(String.fromCodePoint(point))) continue;
    const previous = ranges.at(-1);
    if (previous && previous[1] === point - 1) previous[1] = point;
    else ranges.push([point, point]);
  }
  return ranges;
}
