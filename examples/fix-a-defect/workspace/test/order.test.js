import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineTotal, orderTotal } from '../src/order.js';

const costs = [
  { quantity: 9, cents: 1800 },
  { quantity: 10, cents: 1900 },
  { quantity: 49, cents: 9310 },
  { quantity: 50, cents: 9000 },
];

for (const { quantity, cents } of costs) {
  test(`${quantity} pieces at 2.00 cost ${cents} cents`, () => {
    assert.equal(lineTotal({ unitPrice: 200, quantity }), cents);
  });
}

test('an order below 50.00 pays shipping', () => {
  assert.equal(orderTotal({ lines: [{ unitPrice: 1000, quantity: 2 }] }), 2490);
});
