// A channel as the relay sees it: send a body, get an HTTP response. The demo channel behaves the same without a
// network. Of the client's headers only the trace is forwarded, already checked and with a span of ours.

import { TRACE_HEADER } from '../kit/traceparent.ts';
import type { UpstreamEndpoint } from '../vendors/endpoints.ts';
import { LOOP_HEADER, withHop } from './loop-guard.ts';

export interface UpstreamRequest {
  endpoint: UpstreamEndpoint;
  /** The model's name at the upstream; also in the body if the format has it there. */
  model: string;
  /** Read before `send` returns its promise: the memory may be reused afterwards. */
  body: string;
  /** In place of `body`, for an endpoint that takes files. */
  form?: { bytes: Blob; contentType: string };
  stream: boolean;
  /** Client headers for an upstream of the same dialect; each channel picks those it supports. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** The gateway's own count of the input tokens, for a channel without a model that counts them. */
  estimateInput?(): number;
}

export interface Upstream {
  send(request: UpstreamRequest): Promise<Response>;
  /** Asks for the names of its models. */
  listModels(signal: AbortSignal): Promise<Response>;
  /** Reads another path of its host, with our key; absent for kinds of which no such path is known. */
  readAt?(path: string, signal: AbortSignal): Promise<Response>;
  /** Its host and key, which are removed from its errors. */
  hidden: readonly string[];
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

type Sent = Record<string, string>;

export interface HttpSettings {
  baseUrl: string;
  /** The resolved secret; some upstreams need none. */
  apiKey: string | undefined;
  gatewayId: string;
}

export function hiddenOf(baseUrl: string, apiKey: string | undefined): string[] {
  const { host, hostname } = new URL(baseUrl);
  return [host, hostname, ...(apiKey ? [apiKey] : [])];
}

/**
 * URLs below a channel's base URL. The base's query, such as Azure's `?api-version=`, is appended to every path; a fragment is
 * never sent. `path` begins with a slash and may have a query. `ending` is removed from the end of the base's path.
 */
export function addressBelow(baseUrl: string, ending = ''): (path: string) => string {
  const [, root = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(baseUrl) ?? [];
  const trimmed = root.replace(/\/+$/, '');
  const base = trimmed.endsWith(ending) ? trimmed.slice(0, trimmed.length - ending.length) : trimmed;
  if (query === '') return (path) => base + path;
  return (path) => `${base}${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Our key is for this host only, so redirects are not followed. */
export function post(
  fetch: Fetch,
  url: string,
  headers: Sent,
  { form, body, signal }: UpstreamRequest,
): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body: form?.bytes ?? body, signal, redirect: 'manual' });
}

/** A GET, such as of the upstream's list of models. */
export function readRequest(signal: AbortSignal, gatewayId: string, credentials: Readonly<Sent>): RequestInit {
  const { 'content-type': _, ...headers } = upstreamHeaders({ stream: false, headers: {} }, gatewayId, credentials);
  return { method: 'GET', headers, signal, redirect: 'manual' };
}

/** The `accept` header of endpoints whose answers are neither events nor JSON alone. */
const ACCEPTED: Partial<Record<UpstreamEndpoint, string>> = { speech: 'audio/*, text/event-stream' };

export function upstreamHeaders(
  request: Pick<UpstreamRequest, 'stream' | 'headers' | 'form'> & Partial<Pick<UpstreamRequest, 'endpoint'>>,
  gatewayId: string,
  credentials: Readonly<Sent>,
): Sent {
  const { stream, headers, form, endpoint } = request;
  const sent: Sent = {
    'content-type': form?.contentType ?? 'application/json',
    accept: (endpoint && ACCEPTED[endpoint]) ?? (stream ? 'text/event-stream' : 'application/json'),
    'accept-encoding': 'identity',
    'user-agent': 'ai-gateway-service',
    [LOOP_HEADER]: withHop(headers[LOOP_HEADER], gatewayId),
    ...credentials,
  };
  const trace = headers[TRACE_HEADER];
  if (trace !== undefined) sent[TRACE_HEADER] = trace;
  return sent;
}

/** The answer of a platform that lists its models elsewhere, or not at all. */
export function noModelList(platform: string): Response {
  const message = `${platform} has no list of models at this address: enter their names.`;
  return Response.json({ error: { message } }, { status: 404 });
}

/** An answer of another type that is converted into events on its way. */
export function asEventsOf(type: RegExp, convert: () => TransformStream<Uint8Array, Uint8Array>) {
  return (response: Response): Response => {
    const isMeant = type.test(response.headers.get('content-type') ?? '');
    if (response.status !== 200 || !isMeant || !response.body) return response;
    const headers = new Headers(response.headers);
    headers.set('content-type', 'text/event-stream');
    headers.delete('content-length');
    return new Response(response.body.pipeThrough(convert()), { status: 200, headers });
  };
}
