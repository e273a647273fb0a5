// GET /v1/responses: opens a WebSocket for responses, one after the other or several at once.

import { fault } from '../../faults/fault.ts';
import { anyObject } from '../../kit/shapes.ts';
import { keyOf, offeredProtocol } from '../credentials.ts';
import type { Exchange, HttpTools, KeyedExchange } from '../exchange.ts';
import { keyedRoute } from '../operation.ts';
import { QUOTE_HEADER } from '../quoted-price.ts';
import { ResponseSocket } from '../sockets/response-socket.ts';
import * as outline from './outlines.ts';

export const responsesSocket = keyedRoute('GET /v1/responses', {
  id: 'connectResponses',
  tag: 'models',
  summary: 'Responses over a WebSocket',
  description:
    'Send `{"type": "response.create", …}` with the fields of `POST /v1/responses`; the answer is the events of its stream, one message each. `previous_response_id` may name the last answer of a stream of this connection, and `input` then has only new items. `stream_id` names a stream: streams run at the same time, the turns of one in their order. Each turn is a call with its own hold and receipt: `svc` of `response.created` and of the last event has the request id and what `x-svc-…` headers say. A refusal is `{"type": "error", "status", "error", "headers"}`. Nothing is kept after the connection has ended.',
  requestHeaders: { ...outline.noWait, ...outline.strict, ...outline.session },
  status: 101,
  result: 'The connection is a WebSocket.',
  answer: anyObject,
  faults: [
    'invalid_request',
    'previous_response_not_found',
    'invalid_stream_id',
    'websocket_stream_limit_reached',
    'websocket_connection_limit_reached',
    'method_not_allowed',
    'too_many_in_flight',
  ],
  handle: openSocket,
});

function openSocket(tools: HttpTools, exchange: KeyedExchange): Response {
  const { request, connection, requestId, key } = exchange;
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket' || !connection.upgrade) throw noHandshake();
  if (!tools.isReady()) throw fault('unavailable', { internal: 'draining' });
  if (request.headers.has(QUOTE_HEADER)) {
    throw fault('invalid_request', {
      param: QUOTE_HEADER,
      message: `${QUOTE_HEADER} is for one call. Use it with POST.`,
    });
  }
  const socket = new ResponseSocket(tools, { headers: turnHeaders(exchange), peer: connection.peer(), key });
  socket.reserve();
  const protocol = offeredProtocol(request.headers);
  const headers = { 'x-request-id': requestId, ...(protocol ? { 'sec-websocket-protocol': protocol } : {}) };
  if (connection.upgrade(socket, headers)) return new Response(null, { status: 101 });
  socket.onClose();
  throw fault('invalid_request', { message: 'This is no valid WebSocket handshake. Use a WebSocket client.' });
}

function noHandshake() {
  return fault('method_not_allowed', {
    message: 'GET opens a WebSocket here. Use a WebSocket client, or send the request with POST.',
    headers: { allow: 'POST' },
  });
}

/** Headers that apply only to the handshake or the connection. */
const NOT_OF_TURNS =
  /^(connection|upgrade|host|cookie|origin|authorization|x-api-key|content-.*|sec-.*|transfer-encoding)$/;

/** Every turn is sent as if with the headers of the handshake. */
function turnHeaders(exchange: Exchange): Headers {
  const headers = new Headers();
  exchange.request.headers.forEach((value, name) => {
    if (!NOT_OF_TURNS.test(name)) headers.set(name, value);
  });
  headers.set('authorization', `Bearer ${keyOf(exchange) ?? ''}`);
  return headers;
}
