// POST /mcp: the service as tools, for clients of the Model Context Protocol (streamable HTTP).

import { z } from 'zod';
import { fault } from '../../faults/fault.ts';
import { isCrossSite } from '../../kit/cross-site.ts';
import type { JsonObject } from '../../kit/json/json.ts';
import { loadOnce } from '../../kit/load-once.ts';
import { anyObject, named, number, text } from '../../kit/shapes.ts';
import { keyFromHeaders } from '../credentials.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { OURS, openRoute } from '../operation.ts';
import { parseBody, readBody } from '../read-body.ts';
import { requireKey } from '../read-keyed-body.ts';

const MAX_BYTES = 1024 * 1024;
/** Enough for every tool that works without a key. */
const MAX_BYTES_WITHOUT_KEY = 64 * 1024;

const version = z.literal('2.0');
const id = z.union([text, number]);

/** Loaded with the first message: a gateway whose clients do not use it starts sooner and takes less memory. */
const loadMcp = loadOnce(() => import('../mcp/serve-mcp.ts'));

export const mcp = openRoute('POST /mcp', {
  id: 'callMcp',
  tag: 'account',
  summary:
    'The service as tools for MCP clients: register, models, status, quote, balance, usage, redeem, create_key, ask',
  description:
    'Streamable HTTP of the Model Context Protocol, without sessions. Send one JSON-RPC message. The key is optional: register, models and status work without one. A refused tool call is a result with `isError` and the error of the API as its text. Only ask costs money.',
  maxBytes: MAX_BYTES,
  body: named('McpMessage', { jsonrpc: version, id: id.optional(), method: text, params: anyObject.optional() }),
  example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  result: 'The answer to the message; as an event stream for clients that accept one.',
  answer: named('McpAnswer', {
    jsonrpc: version,
    id: id.nullable(),
    result: anyObject.optional(),
    error: anyObject.optional().describe('An error of the protocol.'),
  }),
  alsoAs: { 'text/event-stream': text.describe('Events with the answer as their data.') },
  others: { 202: { result: 'The message needs no answer.' } },
  faults: ['cross_site_refused', 'invalid_api_key', 'auth_rate_limited', ...OURS],
  handle: handleMcp,
});

async function handleMcp(tools: HttpTools, exchange: Exchange): Promise<Response> {
  if (isCrossSite(exchange.request.headers, tools.publicUrl)) {
    throw fault('cross_site_refused', {
      message: 'A web page of another site cannot use the MCP server. Use it from a program.',
    });
  }
  // Asked for while the client is still connected.
  exchange.connection.peer();
  const message = await readMessage(tools, exchange);
  const { serveMcp } = await loadMcp();
  return serveMcp(tools, exchange, message);
}

/** A key that is sent must be valid. */
async function readMessage({ authenticator, load, clock }: HttpTools, { request }: Exchange): Promise<JsonObject> {
  const sent = keyFromHeaders(request.headers);
  if (sent === undefined) return parseBody(await readBody(request, MAX_BYTES_WITHOUT_KEY, clock)).value;
  const key = requireKey(await authenticator.authenticate(sent));
  const capacity = load.acquire(key.accountId);
  try {
    return parseBody(await readBody(request, MAX_BYTES, clock, capacity)).value;
  } finally {
    capacity.release();
  }
}
