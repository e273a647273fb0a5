// Texts and numbers within the bounds of a JSON schema.

import type { JsonObject } from '../../kit/json/json.ts';
import { patternText } from './pattern-text.ts';

const TEXT = 'demo';
const MAX_CHARS = 4_000;

const FORMATS = new Map<unknown, string>([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'demo@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com'],
  ['url', 'https://example.com'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

export function demoText({ format, pattern, minLength, maxLength }: JsonObject): string {
  const fixed = FORMATS.get(format) ?? (typeof pattern === 'string' ? patternText(pattern) : undefined);
  if (fixed !== undefined) return fixed;
  const least = typeof minLength === 'number' ? Math.min(minLength, MAX_CHARS) : 0;
  const most = typeof maxLength === 'number' ? maxLength : MAX_CHARS;
  return TEXT.repeat(Math.max(1, Math.ceil(least / TEXT.length))).slice(
    0,
    Math.min(most, Math.max(least, TEXT.length)),
  );
}

const NO_MINIMUM = Number.NEGATIVE_INFINITY;
const NO_MAXIMUM = Number.POSITIVE_INFINITY;

/**
 * 0 if it is allowed, else the whole step next to the bound, or what lies between the bounds. An exclusive bound counts as
 * half a step inside: rounding then takes it to the next step.
 */
export function demoNumber(schema: JsonObject): number {
  const step = stepOf(schema);
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const half = step / 2;
  const low = Math.max(numberOr(minimum, NO_MINIMUM), numberOr(exclusiveMinimum, NO_MINIMUM) + half);
  const high = Math.min(numberOr(maximum, NO_MAXIMUM), numberOr(exclusiveMaximum, NO_MAXIMUM) - half);
  if (low <= 0 && high >= 0) return 0;
  if (low > 0) {
    const value = Math.ceil(low / step) * step;
    return value <= high ? value : (low + high) / 2;
  }
  const value = Math.floor(high / step) * step;
  return value >= low ? value : (low + high) / 2;
}

function stepOf({ multipleOf }: JsonObject): number {
  return typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
