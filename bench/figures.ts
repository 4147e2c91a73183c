/** Prints a figure of a bench. */
export function figure(name: string, value: string): void {
  console.log(`${name.padEnd(48)} ${value}`);
}

/** Minimum, median and maximum. */
export function spread(values: readonly number[], unit: string): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number): string => (sorted[Math.floor(place * (sorted.length - 1))] ?? 0).toFixed(0);
  return `median ${at(0.5)} ${unit}, from ${at(0)} to ${at(1)}`;
}
