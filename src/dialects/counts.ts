// Figures that an upstream reports: whole, not negative, not absurd; or undefined.

import { isObject, type Json } from '../kit/json/json.ts';

const MAX_COUNT = 1_000_000_000;

export function readCount(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

/** A figure inside an object that may be left out, and then is 0. */
export function readDetail(details: Json | undefined, name: string): number | undefined {
  return isObject(details) ? readCount(details[name] ?? 0) : 0;
}
