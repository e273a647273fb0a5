// A moment in the document: a date, which begins at midnight in Taipei, or a timestamp with its offset from UTC.

import { z } from 'zod';
import { OFFSET_MS } from '../kit/taipei.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const MUST_BE =
  'must be a date such as 2026-12-11, or a time with its offset from UTC such as 2026-12-11T09:00:00+08:00';

export const moment = z.string(MUST_BE).transform((text, context): number => {
  const at = readMoment(text);
  if (at !== undefined) return at;
  context.addIssue(MUST_BE);
  return z.NEVER;
});

/** Undefined if it is not one. */
export function readMoment(text: string): number | undefined {
  const isDate = DATE.test(text);
  if (!isDate && !TIMESTAMP.test(text)) return undefined;
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Some days that do not exist, such as February 30, are read as days of the next month.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const at = isDate ? midnight - OFFSET_MS : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
