type Field = 'type' | 'text' | 'value' | 'reason';

/** What somebody else's code gave, by the members that are read of it; none of what has no members. */
export function fieldsOf(value: unknown): { readonly [Name in Field]?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
