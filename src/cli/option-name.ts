/** The option that sets a budget, such as `--max-errors` for `maxErrors`. */
export function optionName(budget: string): string {
  return `--${budget.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
