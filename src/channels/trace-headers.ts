// The trace that a call belongs to, on its way to an upstream; already checked, and with a span of ours.

import { TRACE_HEADER } from '../kit/traceparent.ts';

export function traceHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const trace = headers[TRACE_HEADER];
  return trace === undefined ? {} : { [TRACE_HEADER]: trace };
}
