// Headers for every HTTP upstream, whatever its format. Of the client's headers only the trace is forwarded, already
// checked and with a span of ours.

import { TRACE_HEADER } from '../kit/traceparent.ts';
import { LOOP_HEADER, withHop } from './loop-guard.ts';
import type { UpstreamRequest } from './upstream.ts';

export function upstreamHeaders(
  { stream, headers }: UpstreamRequest,
  gatewayId: string,
  credentials: Readonly<Record<string, string>>,
): Record<string, string> {
  const sent: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'ai-gateway-service',
    [LOOP_HEADER]: withHop(headers[LOOP_HEADER], gatewayId),
    ...credentials,
  };
  const trace = headers[TRACE_HEADER];
  if (trace !== undefined) sent[TRACE_HEADER] = trace;
  return sent;
}
