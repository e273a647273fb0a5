// The headers of every response.

import { readFreeAllowances } from '../accounts/account.ts';
import { RESERVED_CHANNEL } from '../catalog/document.ts';
import type { Envelope } from '../faults/write.ts';
import { rateHeaders } from '../limits/rate-headers.ts';
import { addCost } from '../relay/answer-headers.ts';
import { CORS_HEADERS, isOpenToPages } from './cors.ts';
import type { Exchange, HttpTools, KeyedExchange } from './exchange.ts';

type Asked = Pick<Exchange, 'requestId' | 'path'>;

interface ResponseHead {
  status?: number;
  headers: Readonly<Record<string, string>>;
}

export const STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** The vendors' names for the header with a request's id. */
const ID_HEADERS = ['x-request-id', 'request-id'] as const;

/** The default: some caches would store an answer although the request has a key in `x-api-key`. */
const PRIVATE = { 'cache-control': 'no-store' };

/** An answer may contain text of a client or an upstream, which a browser must not show as a page. */
const AS_DECLARED = { 'x-content-type-options': 'nosniff' };

/** Read once: what is the same on every answer is copied and not parsed. */
const CLOSED = new Headers({ ...PRIVATE, ...AS_DECLARED });
const OPEN_TO_PAGES = new Headers({ ...PRIVATE, ...AS_DECLARED, ...CORS_HEADERS });

const constantHeaders = (path: string) => (isOpenToPages(path) ? OPEN_TO_PAGES : CLOSED);

/** Creates an answer with these headers, which is cheaper than adding them afterwards. */
export function newResponse(asked: Asked, body: BodyInit, { status = 200, headers }: ResponseHead): Response {
  const response = new Response(body, { status, headers: constantHeaders(asked.path) });
  setRequestId(response, asked.requestId);
  for (const name in headers) response.headers.set(name, headers[name] ?? '');
  return response;
}

/** Adds them to an answer that was created without them. */
export function addCommonHeaders({ requestId, path }: Asked, response: Response): Response {
  if (response.headers.has(ID_HEADERS[0])) return response;
  setRequestId(response, requestId);
  for (const [name, value] of constantHeaders(path)) {
    // Public answers set their own.
    if (name !== 'cache-control' || !response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

export function setRequestId({ headers }: Response, requestId: string): void {
  for (const name of ID_HEADERS) headers.set(name, requestId);
}

/**
 * The headers of `/v1` answers that no upstream gave: model lists, token counts, and answers without any output. They cost
 * nothing; a stream reports that in its usage.
 */
export async function gatewayHeaders(
  tools: HttpTools,
  { key }: KeyedExchange,
  names: Envelope,
  { isStream = false } = {},
): Promise<Record<string, string>> {
  const { tighter, wallet } = await readFreeAllowances(tools, key.accountId);
  const headers = { 'x-svc-channel': RESERVED_CHANNEL, ...rateHeaders(tighter, tools.clock.now(), names) };
  if (wallet && !isStream) addCost(headers, { cost: 0n, balance: wallet.balance });
  return headers;
}
