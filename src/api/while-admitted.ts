/**
 * The frames for as long as whoever reads is still let in, which is asked again before a frame once `everyMs` have
 * passed: a token that was revoked or has expired ends a stream that it opened (`api:auth`). So does not knowing.
 */
export async function* whileAdmitted(
  frames: AsyncGenerator<string, void>,
  isAdmitted: () => Promise<boolean>,
  everyMs: number,
): AsyncGenerator<string, void> {
  let askedAt = performance.now();
  for await (const frame of frames) {
    if (performance.now() - askedAt >= everyMs) {
      if (!(await isAdmitted().catch(() => false))) return;
      askedAt = performance.now();
    }
    yield frame;
  }
}
