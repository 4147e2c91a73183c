// Quantity discounts, highest first. The rules: ../pricing-handbook/discounts.md
const STEPS = [
  { pieces: 50, percent: 10 },
  { pieces: 10, percent: 5 },
];

/** The discount in percent for this many pieces of one article. */
export function discountPercent(quantity) {
  const step = STEPS.find(({ pieces }) => quantity > pieces);
  return step ? step.percent : 0;
}
