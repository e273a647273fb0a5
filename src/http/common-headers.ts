// The headers that every answer carries, whatever it is.

import { CORS_HEADERS, isOpenToPages } from './cors.ts';
import type { Exchange } from './exchange.ts';

type Asked = Pick<Exchange, 'requestId' | 'path'>;

/** What the families of clients call a request's id. */
export const ID_HEADERS = ['x-request-id', 'request-id'] as const;

/** For an answer that is made with them: cheaper than to add them afterwards. */
export function commonHeaders({ requestId, path }: Asked): Record<string, string> {
  const [first, second] = ID_HEADERS;
  const own = { [first]: requestId, [second]: requestId, 'cache-control': PRIVATE };
  return isOpenToPages(path) ? { ...own, ...CORS_HEADERS } : own;
}

export function addCommonHeaders(exchange: Asked, { headers }: Response): void {
  for (const [name, value] of Object.entries(commonHeaders(exchange))) {
    // Some answers are for everybody, and say so.
    if (name !== 'cache-control' || !headers.has(name)) headers.set(name, value);
  }
}

/** Whatever does not say that it is for everybody is for this caller alone; not every cache knows our header for keys. */
const PRIVATE = 'no-store';
