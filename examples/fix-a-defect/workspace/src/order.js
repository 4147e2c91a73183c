import { discountPercent } from './discount.js';
import { shipping } from './shipping.js';

/** What one line costs, in cents, its quantity discount taken off. */
export function lineTotal({ unitPrice, quantity }) {
  const gross = unitPrice * quantity;
  return gross - Math.round((gross * discountPercent(quantity)) / 100);
}

/** What the order costs, in cents. */
export function orderTotal({ lines }) {
  const goodsValue = lines.reduce((sum, line) => sum + lineTotal(line), 0);
  return goodsValue + shipping(goodsValue);
}
