/**
 * The key of a request: that under which its call was checked, and the execution that asks. After a reset of the
 * workflow the nonce in the former may be that of before, but the execution is another (`hitl:decision`).
 */
export function requestKeyIn(checkedKey: string, execution: string): string {
  return `${checkedKey}:${execution}`;
}

/** The key without the execution. */
export function checkedKeyOf(requestKey: string): string {
  return requestKey.slice(0, requestKey.lastIndexOf(':'));
}
