const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The text with each lone surrogate replaced, U+FFFD by default: canonical JSON has no other (RFC 8785). */
export function wellFormed(text: string, replacement = '\ufffd'): string {
  return text.replace(LONE_SURROGATE, replacement);
}
