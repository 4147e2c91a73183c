/** Longest name of a property that a text repeats, characters: names may come from a model. */
const NAME_CHARACTERS = 64;
/** Longest beginning of a place, characters; of a longer one the end is kept. */
const PLACE_CHARACTERS = 256;

/** A place in arguments as people write it: `edits[0].oldText`, from `/edits/0/oldText`. */
export function placeOf(instancePath: string): string {
  const segments = instancePath.split('/').slice(1);
  return segments
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (place, segment) => (/^\d+$/.test(segment) ? `${place}[${segment}]` : member(place, segment)),
      '',
    );
}

/** A member's name as one step of a JSON Pointer (RFC 6901). */
export function escapedStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The place of a member. */
export function member(place: string, name: string): string {
  if (place === '') return nameText(name);
  return `${place.length > PLACE_CHARACTERS ? `…${place.slice(-PLACE_CHARACTERS)}` : place}.${nameText(name)}`;
}

/** A property's name, quoted where it is no plain word and cut where it is long. */
export function nameText(name: string): string {
  return /^[\w$-]+$/.test(name) && name.length <= NAME_CHARACTERS
    ? name
    : JSON.stringify(name.slice(0, NAME_CHARACTERS));
}
