// One message of an MCP client. The SDK speaks the protocol, in the revision of 2026-07-28 and in those before; a tool call
// becomes a request to our own API. No session is kept, so that any node can take any message.

import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { LOOP_HEADER } from '../../channels/loop-guard.ts';
import { SESSION_HEADER } from '../../dialects/conversation.ts';
import { isObject, type JsonObject } from '../../kit/json/json.ts';
import { TRACE_HEADER } from '../../kit/traceparent.ts';
import { toSchema } from '../description.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { type ApiRequest, type Arguments, type McpTool, TOOLS } from './tool-table.ts';

const SESSION_ID_HEADER = 'mcp-session-id';

/** The client's request as seen by a tool call: its caller and its address. */
const PASSED_HEADERS = [
  'authorization',
  'x-api-key',
  'x-forwarded-for',
  'user-agent',
  SESSION_HEADER,
  LOOP_HEADER,
  TRACE_HEADER,
];

const LISTED = TOOLS.map(({ name, title, description, input, output, isReadOnly }) => ({
  name,
  title,
  description,
  inputSchema: objectSchema(input),
  outputSchema: objectSchema(output),
  annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: name === 'ask' },
}));

/** A shape with a name would be a reference at the root, where clients want an object; a copy has no name. */
function objectSchema(shape: z.ZodType): Tool['inputSchema'] {
  return JSON.parse(JSON.stringify(toSchema(shape.clone(shape.def))));
}

const BY_NAME: ReadonlyMap<string, McpTool> = new Map(TOOLS.map((tool) => [tool.name, tool]));

export async function serveMcp(tools: HttpTools, exchange: Exchange, message: JsonObject): Promise<Response> {
  cancelCall(tools, exchange, message);
  const { request } = exchange;
  const handler = createMcpHandler(() => createServer(tools, exchange), { responseMode: 'sse' });
  const answer = await handler.fetch(forSdk(request), { parsedBody: message });
  const response = takesEvents(request) ? answer : await asJson(answer);
  response.headers.set('cache-control', 'no-store');
  if (message.method === 'initialize') response.headers.set(SESSION_ID_HEADER, crypto.randomUUID());
  return response;
}

function createServer(tools: HttpTools, exchange: Exchange): Server {
  const { siteName, publicUrl, mcpCalls } = tools;
  const server = new Server(
    { name: siteName, version: packageJson.version, websiteUrl: publicUrl },
    { capabilities: { tools: {} }, instructions: instructionsOf(siteName, publicUrl) },
  );
  server.setRequestHandler('tools/list', () => ({ tools: LISTED }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { id, signal } }) => {
    const tool = BY_NAME.get(params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This tool does not exist. Use one of tools/list.');
    const session = exchange.request.headers.get(SESSION_ID_HEADER);
    // A cancelled call gets no answer, so its stream ends.
    const ended = session === null ? undefined : mcpCalls.add(session, id, () => void server.close());
    try {
      return await callTool(tools, exchange, tool, params.arguments ?? {}, signal);
    } finally {
      ended?.();
    }
  });
  return server;
}

function instructionsOf(siteName: string, publicUrl: string): string {
  return `${siteName}: models of many providers with one key, billed in NT$ from a prepaid balance. Only the tool ask costs money. Without a key, call register first. Docs: ${publicUrl}/llms.txt`;
}

async function callTool(
  tools: HttpTools,
  { request, connection }: Exchange,
  tool: McpTool,
  given: Arguments,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const asked = apiRequest(new URL(tools.publicUrl), request.headers, tool.write(given), signal);
  const response = await tools.dispatch(asked, connection);
  const answer: unknown = await response.json();
  if (!response.ok || !isObject(answer)) return { isError: true, content: [textOf(JSON.stringify(answer))] };
  const { structured, texts } = tool.read(answer, response.headers);
  return { structuredContent: structured, content: texts.map(textOf) };
}

function apiRequest(base: URL, sent: Headers, { path, body, headers }: ApiRequest, signal: AbortSignal): Request {
  const own = { ...passedHeaders(sent), ...headers };
  if (body === undefined) return new Request(new URL(path, base), { headers: own, signal });
  const text = JSON.stringify(body);
  // The length shows whether a body is large before it is read.
  const length = { 'content-length': String(Buffer.byteLength(text)) };
  return new Request(new URL(path, base), { method: 'POST', headers: { ...own, ...length }, body: text, signal });
}

const textOf = (text: string) => ({ type: 'text' as const, text });

function passedHeaders(headers: Headers): Record<string, string> {
  const given = PASSED_HEADERS.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(given.filter((header): header is [string, string] => header[1] !== null));
}

function cancelCall({ mcpCalls }: HttpTools, { request }: Exchange, { method, params }: JsonObject): void {
  if (method !== 'notifications/cancelled' || !isObject(params)) return;
  const session = request.headers.get(SESSION_ID_HEADER);
  const { requestId: id } = params;
  if (session !== null && (typeof id === 'string' || typeof id === 'number')) mcpCalls.cancel(session, id);
}

/** The SDK insists on headers that plain HTTP clients do not send. The body was read before. */
function forSdk({ url, headers, signal }: Request): Request {
  const complete = new Headers(headers);
  complete.set('accept', 'application/json, text/event-stream');
  complete.set('content-type', 'application/json');
  return new Request(url, { method: 'POST', headers: complete, signal });
}

function takesEvents({ headers }: Request): boolean {
  return headers.get('accept')?.includes('text/event-stream') === true;
}

const DATA = 'data: ';

/** The one message of an event stream. */
async function asJson(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const message = (await response.text()).split('\n').find((line) => line.startsWith(DATA));
  return new Response(message?.slice(DATA.length) ?? '', {
    status: response.status,
    headers: { 'content-type': 'application/json' },
  });
}
