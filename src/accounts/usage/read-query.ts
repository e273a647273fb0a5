// Reads the query of a usage listing: filters, page size, and a cursor that is the position where the last page ended.

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { parseMoment } from '../../kit/moment.ts';
import type { UsageQuery } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import { pageLimit, readQuery } from '../read-shape.ts';
import { type Viewer, visibleKeyIds } from './visible-keys.ts';

interface UsageQueryTools {
  store: Store;
  /** Resolves aliases: usage is recorded under the model's id. */
  catalog(): Pick<Catalog, 'find'>;
}

/** In the order in which they are checked. */
export const usageFilters = z.object({
  limit: pageLimit('Records'),
  from: moment('from', 'A date (midnight in Taipei), an ISO 8601 time with its zone, or milliseconds (13 digits).'),
  to: moment('to', 'The same; itself left out.'),
  channel: filter('channel', 'Exactly this channel.'),
  key_id: filter('key_id', 'Exactly this key.'),
  subtree: filter('subtree', 'This key and every key below it, deleted ones too.'),
  status: filter('status', 'Exactly this status; failed means every status except ok, client_gone and time_limit.'),
  model: filter('model', 'Exactly this model; an alias finds the model it means, too.'),
  cursor: z
    .string()
    .transform(parseCursor)
    .refine((after) => after !== undefined, 'cursor is not valid. Use next_cursor of the previous page, unchanged.')
    .optional()
    .describe('next_cursor of the page before.'),
});

/** As a status: every one that `store/rows.ts` counts as failed. */
export const FAILED = 'failed';

export function readUsageQuery(tools: UsageQueryTools, viewer: Viewer, params: URLSearchParams): Promise<UsageQuery> {
  return usageQueryOf(tools, viewer, readQuery(usageFilters, params));
}

export async function usageQueryOf(
  { store, catalog }: UsageQueryTools,
  viewer: Viewer,
  { key_id: keyId, subtree, model, status: asked, cursor: after, ...rest }: z.output<typeof usageFilters>,
): Promise<UsageQuery> {
  // An alias may have been the id of a model before: what was recorded then is found, too.
  const models = model && [...new Set([model, catalog().find(model)?.id ?? model])];
  const keyIds = await visibleKeyIds(store, viewer, subtree);
  const status = asked === FAILED ? { isFailed: true } : { status: asked };
  const filters = Object.entries({ ...rest, ...status, keyId, keyIds, models, after }).filter(
    ([, value]) => value !== undefined,
  );
  return { accountId: viewer.accountId, ...Object.fromEntries(filters) } as UsageQuery;
}

export function writeCursor(at: number, requestId: string): string {
  return Buffer.from(`${at}.${requestId}`).toString('base64url');
}

/** PostgreSQL returns an error if a value has characters that it cannot store. */
function filter(name: string, description: string) {
  return z
    .string()
    .refine((value) => !/\p{Cc}/u.test(value), `${name} contains control characters. Remove them.`)
    .optional()
    .describe(description);
}

function moment(name: string, description: string) {
  return z
    .string()
    .transform(parseTime)
    .refine(
      (time) => time !== undefined,
      `${name} must be a date (2026-11-15), an ISO 8601 time with its zone (2026-11-15T09:30:00+08:00), or milliseconds since 1970 (13 digits).`,
    )
    .optional()
    .describe(description);
}

/** Milliseconds since the epoch, a date or a time. The `+` of a zone that was not escaped has come as a space. */
function parseTime(text: string): number | undefined {
  return /^\d{13}$/.test(text) ? Number(text) : parseMoment(text.replace(/ (\d{2}:?\d{2})$/, '+$1'));
}

/** Undefined if it is not a valid cursor. */
export function parseCursor(cursor: string): UsageQuery['after'] {
  const match = /^(\d{1,16})\.(req_[0-9a-z]+)$/.exec(Buffer.from(cursor, 'base64url').toString());
  return match?.[1] && match[2] ? { at: Number(match[1]), requestId: match[2] } : undefined;
}
