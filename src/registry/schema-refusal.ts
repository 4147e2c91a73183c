/** Why a schema was refused: where in it, as a JSON pointer fragment such as `#/properties/a`, and a reason. */
export class SchemaRefusal extends Error {
  override readonly name = 'SchemaRefusal';
  constructor(
    readonly place: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${place} ${reason}`, options);
  }
}
