// How long the text of a schema is, without writing it: many references may lead to one large part of it.

import type { Json } from '../../kit/json/json.ts';

/** Measures each part once, however often it is asked for. */
export function createMeasure(): (value: Json | undefined) => number {
  const known = new Map<object, number>();

  function measure(value: Json | undefined): number {
    if (typeof value === 'string') return value.length + 2;
    if (typeof value !== 'object' || value === null) return String(value).length;
    const found = known.get(value);
    if (found !== undefined) return found;
    let chars = 2;
    for (const [name, member] of Object.entries(value)) chars += name.length + measure(member) + 4;
    known.set(value, chars);
    return chars;
  }

  return measure;
}
