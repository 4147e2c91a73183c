/**
 * Whether two names may stand for one person: to be distinct they must differ in more than case, composition or width
 * (`hitl:quorum`). A right is given to a name as it is written.
 */
export function isSamePerson(a: string, b: string): boolean {
  return personOf(a) === personOf(b);
}

/** One and the same for all spellings of a name (Unicode NFKC, lower case). */
export function personOf(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
