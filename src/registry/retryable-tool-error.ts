/**
 * Thrown by a handler whose failure may pass. An idempotent tool is then run again, up to its maxAttempts, with
 * the same idempotency key; for any other tool it is as any throw (`tool:handler-throws`).
 */
export class RetryableToolError extends Error {
  override readonly name = 'RetryableToolError';
}
