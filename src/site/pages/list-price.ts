// A price as price lists write it: NT$ for one million tokens, or for one image.

import { type Nano, ntdNumber } from '../../kit/money.ts';
import type { Prices } from '../../kit/prices.ts';

const PER_MILLION = 1_000_000n;

export function listPrice(name: keyof Prices, price: Nano): number {
  return ntdNumber(name === 'image' ? price : price * PER_MILLION);
}

export function priceNumber(price: number): string {
  return price.toLocaleString('en', { maximumFractionDigits: 9 });
}
