/** Milliseconds as a person reads them, such as `22 ms` or `2.3 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${String(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
