// Headers for every HTTP upstream, whatever its format. Of the client's headers only the trace is forwarded, already
// checked and with a span of ours.

import { TRACE_HEADER } from '../kit/traceparent.ts';
import { LOOP_HEADER, withHop } from './loop-guard.ts';
import type { UpstreamRequest } from './upstream.ts';

/** The `accept` header of endpoints whose answers are neither events nor JSON alone. */
const ACCEPTED: Partial<Record<UpstreamRequest['endpoint'], string>> = { speech: 'audio/*, text/event-stream' };

export function upstreamHeaders(
  request: Pick<UpstreamRequest, 'stream' | 'headers' | 'form'> & Partial<Pick<UpstreamRequest, 'endpoint'>>,
  gatewayId: string,
  credentials: Readonly<Record<string, string>>,
): Record<string, string> {
  const { stream, headers, form, endpoint } = request;
  const sent: Record<string, string> = {
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

/** A GET of the upstream's list of models. */
export function listRequest(
  signal: AbortSignal,
  gatewayId: string,
  credentials: Readonly<Record<string, string>>,
): RequestInit {
  const { 'content-type': _, ...headers } = upstreamHeaders({ stream: false, headers: {} }, gatewayId, credentials);
  return { method: 'GET', headers, signal, redirect: 'manual' };
}
