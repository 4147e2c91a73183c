/** A webhook was not told. The message holds its name and no URL, no secret and nothing that it answered. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  constructor(
    message: string,
    readonly retryable: boolean,
  ) {
    super(message);
  }
}
