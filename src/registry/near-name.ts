import { distance } from 'fastest-levenshtein';

/** The candidate that a mistyped name most likely means: at most a third of it differs. */
function nearName(name: string, candidates: Iterable<string>): string | undefined {
  const near = [...candidates]
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits * 3 <= candidate.length)
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.candidate;
}

/** `; did you mean X`, or nothing when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearName(name, candidates);
  return near === undefined ? '' : `; did you mean ${near}`;
}
