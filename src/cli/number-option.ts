import { InvalidArgumentError } from 'commander';

/** Parses an option that is a whole number from 1 to `most`. */
export function wholeNumber(most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${String(most)}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

/** Parses `tool=number` and adds it to those before it. */
export function toolAmount(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const [, tool, amount] = /^([A-Za-z0-9_-]{1,64})=(.*)$/.exec(text) ?? [];
  if (tool === undefined || amount === undefined) {
    throw new InvalidArgumentError('It must name a tool and a number, such as read=3.');
  }
  return { ...before, [tool]: wholeNumber()(amount) };
}
