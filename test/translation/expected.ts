// Expectations of the case files. A value means itself, but for a few words in round brackets:
// `(absent)` no such member, `(any)` some value, `(like REGEX)` a text of that form; a member `(more)` allows others.

import type { Answer } from '../support/answer.ts';
import type { Expected } from './translation-case.ts';

/** What stands at each of the places. */
export function valuesAt(value: Answer, expected: Expected): Record<string, unknown> {
  return Object.fromEntries(Object.keys(expected).map((path) => [path, at(value, path) ?? ABSENT]));
}

const ABSENT = '(absent)';

function at(value: Answer, path: string): unknown {
  let place = value;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(-?\d+)\]/g)) {
    if (place === undefined || place === null) return undefined;
    place = index === undefined ? place[name ?? ''] : place.at(Number(index));
  }
  return place === null ? 'null' : place;
}

/** The expectation with its words filled in from what came, so that the two can be compared and shown side by side. */
export function filledIn(expected: unknown, actual: Answer): unknown {
  if (expected === null) return 'null';
  return fill(expected, actual);
}

function fill(expected: unknown, actual: Answer): unknown {
  if (typeof expected === 'string') return fillWord(expected, actual);
  if (Array.isArray(expected)) return expected.map((item, index) => fill(item, actual?.[index]));
  if (typeof expected !== 'object' || expected === null) return expected;
  const { '(more)': isOpen, ...members } = expected as Record<string, unknown>;
  const filled = Object.entries(members)
    .filter(([name, value]) => value !== ABSENT || actual?.[name] !== undefined)
    .map(([name, value]) => [name, fill(value, actual?.[name])]);
  return { ...(isOpen ? actual : {}), ...Object.fromEntries(filled) };
}

function fillWord(expected: string, actual: unknown): unknown {
  if (expected === '(any)') return actual === undefined || actual === ABSENT ? expected : actual;
  const form = /^\(like (.*)\)$/s.exec(expected)?.[1];
  return form !== undefined && typeof actual === 'string' && new RegExp(form).test(actual) ? actual : expected;
}
