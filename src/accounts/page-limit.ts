// The parameter `limit` of lists.

import { z } from 'zod';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const LIMIT = `limit must be a whole number from 1 to ${MAX_LIMIT}.`;

export function pageLimit(what: string) {
  return z.coerce
    .number(LIMIT)
    .min(1, LIMIT)
    .refine(Number.isInteger, LIMIT)
    .default(DEFAULT_LIMIT)
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .meta({ type: 'integer', description: `${what} in a page; more than ${MAX_LIMIT} are not given.` });
}
