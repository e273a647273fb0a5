// What every upstream over HTTP is told, whatever its format, beside its credentials. Built from nothing: of the client's
// only the trace that its call belongs to travels on, already checked and with a span of ours.

import { TRACE_HEADER } from '../kit/traceparent.ts';
import { LOOP_HEADER, withHop } from './loop-guard.ts';
import type { UpstreamRequest } from './upstream.ts';

export function upstreamHeaders(
  { stream, headers }: UpstreamRequest,
  gatewayId: string,
  credentials: Readonly<Record<string, string>>,
): Record<string, string> {
  const told: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'ai-gateway-service',
    [LOOP_HEADER]: withHop(headers[LOOP_HEADER], gatewayId),
    ...credentials,
  };
  const trace = headers[TRACE_HEADER];
  if (trace !== undefined) told[TRACE_HEADER] = trace;
  return told;
}
