// POST /mcp: the service as tools, for clients of the Model Context Protocol (streamable HTTP).

import { z } from 'zod';
import { fault } from '../../faults/fault.ts';
import { isCrossSite } from '../../kit/cross-site.ts';
import type { JsonObject } from '../../kit/json/json.ts';
import { loadOnce } from '../../kit/load-once.ts';
import { anyObject, named, number, text } from '../../kit/shapes.ts';
import { SMALL_BODY_BYTES } from '../../limits/large-work.ts';
import { keyOf } from '../credentials.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { answerWithoutModel } from '../large-call.ts';
import { OURS, openRoute } from '../operation.ts';
import { parseBody, readBody } from '../read-body.ts';
import { requireKey } from '../read-keyed-body.ts';

const MAX_BYTES = 1024 * 1024;

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
  faults: ['cross_site_refused', 'invalid_api_key', 'auth_rate_limited', 'rate_limited', ...OURS],
  handle: handleMcp,
});

async function handleMcp(tools: HttpTools, exchange: Exchange): Promise<Response> {
  if (isCrossSite(exchange.request.headers, tools.publicUrl)) {
    throw fault('cross_site_refused', {
      message: 'A web page of another site cannot use the MCP server. Use it from a program.',
    });
  }
  // Read while the client is connected: tool calls need its address later.
  exchange.connection.peer();
  const message = await readMessage(tools, exchange);
  const { serveMcp } = await loadMcp();
  return serveMcp(tools, exchange, message);
}

/** A key that is sent must be valid. */
async function readMessage(tools: HttpTools, exchange: Exchange): Promise<JsonObject> {
  const { request } = exchange;
  const sent = keyOf(exchange);
  if (sent === undefined) return parseBody(await readBody(request, SMALL_BODY_BYTES, tools.clock)).value;
  const keyed = { ...exchange, key: requireKey(await tools.authenticator.authenticate(sent)) };
  return answerWithoutModel(tools, keyed, { maxBytes: MAX_BYTES }, ({ document }) => document.value);
}
