const FREE_FROM = 5000;
const RATE = 490;

/** Shipping in cents for a goods value in cents. */
export function shipping(goodsValue) {
  return goodsValue >= FREE_FROM ? 0 : RATE;
}
