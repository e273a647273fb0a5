// The trace that a client's call belongs to, as W3C Trace Context writes it: `00-TRACE-SPAN-FLAGS`. What is not valid is as
// if it were not there. Upstreams are told the same trace with a span of ours, so nothing else of the client's passes.

import type { Random } from './random.ts';

export const TRACE_HEADER = 'traceparent';

export interface Trace {
  traceId: string;
  /** Two hexadecimal digits. */
  flags: string;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SPAN_BYTES = 8;
/** Sampled, and made at random: the others mean nothing yet, and are to be zero. */
const KNOWN_FLAGS = 0b11;

export function readTrace(header: string | null): Trace | undefined {
  if (header === null) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(header) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  // A later version may say more behind the flags; this one has nothing there.
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, flags: hex([Number.parseInt(flags, 16) & KNOWN_FLAGS]) };
}

/** The header for calls that belong to this one. */
export function writeTrace({ traceId, flags }: Trace, random: Random): string {
  return `00-${traceId}-${newSpanId(random)}-${flags}`;
}

function newSpanId(random: Random): string {
  const bytes = random.bytes(SPAN_BYTES);
  // All zero would mean none.
  if (bytes.every((byte) => byte === 0)) bytes[0] = 1;
  return hex(bytes);
}

function hex(bytes: Uint8Array | readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}
