/** A record that the fold of a history still writes to; whoever reads it sees it as readonly. */
export type Building<Value> = { -readonly [Member in keyof Value]: Value[Member] };
