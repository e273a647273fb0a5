// The client's trace in W3C Trace Context format: `00-TRACE-SPAN-FLAGS`. An invalid header is ignored. Upstreams get
// the same trace with a span of ours, and nothing else of the header.

import type { Random } from './random.ts';

export const TRACE_HEADER = 'traceparent';

interface Trace {
  traceId: string;
  /** Two hexadecimal digits. */
  flags: string;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SPAN_BYTES = 8;
/** Sampled and random; the other bits are reserved and must be zero. */
const KNOWN_FLAGS = 0b11;

export function readTrace(header: string | null): Trace | undefined {
  if (header === null) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(header) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  // Later versions may append fields; version 00 has none.
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, flags: hex([Number.parseInt(flags, 16) & KNOWN_FLAGS]) };
}

/** The header for calls within this trace. */
export function writeTrace({ traceId, flags }: Trace, random: Random): string {
  return `00-${traceId}-${newSpanId(random)}-${flags}`;
}

function newSpanId(random: Random): string {
  const bytes = random.bytes(SPAN_BYTES);
  // All zeros would be invalid.
  if (bytes.every((byte) => byte === 0)) bytes[0] = 1;
  return hex(bytes);
}

function hex(bytes: Uint8Array | readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}
