// Reads the query of a usage listing: filters, page size, and a cursor that is the position where the last page ended.

import { fault } from '../../faults/fault.ts';
import { parseMoment } from '../../kit/moment.ts';
import type { UsageQuery } from '../../store/reads.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Resolves aliases: usage is recorded under the model's id. */
export type FindModel = (name: string) => { id: string } | undefined;

export function readUsageQuery(accountId: string, params: URLSearchParams, findModel: FindModel): UsageQuery {
  const query: UsageQuery = { accountId, limit: readLimit(params.get('limit')) };
  const from = readTime(params, 'from');
  const to = readTime(params, 'to');
  if (from !== undefined) query.from = from;
  if (to !== undefined) query.to = to;
  for (const [name, field] of FILTERS) {
    const value = readFilter(params, name);
    if (value) query[field] = value;
  }
  const model = readFilter(params, 'model');
  // An alias may once have been a model's id: its old records match, too.
  if (model) query.models = [...new Set([model, findModel(model)?.id ?? model])];
  const cursor = params.get('cursor');
  if (cursor) query.after = readCursor(cursor);
  return query;
}

export function writeCursor(at: number, requestId: string): string {
  return Buffer.from(`${at}.${requestId}`).toString('base64url');
}

const FILTERS = [
  ['channel', 'channel'],
  ['key_id', 'keyId'],
  ['status', 'status'],
] as const;

function readFilter(params: URLSearchParams, name: string): string | null {
  const value = params.get(name);
  // PostgreSQL refuses to compare with characters that it cannot store.
  if (value && /\p{Cc}/u.test(value)) {
    throw fault('invalid_request', { param: name, message: `${name} contains control characters. Remove them.` });
  }
  return value;
}

function readLimit(text: string | null): number {
  if (text === null || text === '') return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) {
    throw fault('invalid_request', { param: 'limit', message: `limit must be a whole number from 1 to ${MAX_LIMIT}.` });
  }
  return Math.min(limit, MAX_LIMIT);
}

/** Milliseconds since the epoch, a date or a time. An unescaped `+` of a zone arrives as a space. */
function readTime(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  if (!text) return undefined;
  const time = /^\d{13}$/.test(text) ? Number(text) : parseMoment(text.replace(/ (\d{2}:?\d{2})$/, '+$1'));
  if (time === undefined) {
    throw fault('invalid_request', {
      param: name,
      message: `${name} must be a date (2026-11-15), an ISO 8601 time with its zone (2026-11-15T09:30:00+08:00), or milliseconds since 1970 (13 digits).`,
    });
  }
  return time;
}

function readCursor(cursor: string): NonNullable<UsageQuery['after']> {
  const after = parseCursor(cursor);
  if (!after) {
    throw fault('invalid_request', {
      param: 'cursor',
      message: 'cursor is not valid. Use next_cursor of the previous page, unchanged.',
    });
  }
  return after;
}

/** Undefined if it is not a valid cursor. */
export function parseCursor(cursor: string): UsageQuery['after'] {
  const match = /^(\d{1,16})\.(req_[0-9a-z]+)$/.exec(Buffer.from(cursor, 'base64url').toString());
  return match?.[1] && match[2] ? { at: Number(match[1]), requestId: match[2] } : undefined;
}
