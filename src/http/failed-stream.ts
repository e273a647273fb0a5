// A prompt that is too long, told to Codex. By a status it does not know what happened: even to compact, it sends the same
// prompt again and again, and the session is lost. Told in its stream it leaves out the oldest, and goes on. All others are
// told by the status.

import { writeSse } from '../dialects/stream/sse.ts';
import type { Fault } from '../faults/fault.ts';

export const STREAM_TYPE = 'text/event-stream; charset=utf-8';

const CODEX = /^codex/i;

/** As the client calls itself. Codex says it twice, and may be told to say something else in one of the two. */
export function clientName(headers: Headers): string | null {
  const originator = headers.get('originator');
  return originator !== null && CODEX.test(originator) ? originator : headers.get('user-agent');
}

/** It always asks for a stream. */
export function isToldInStream({ code }: Fault, path: string, client: string | null): boolean {
  return code === 'context_length_exceeded' && path === '/v1/responses' && CODEX.test(client ?? '');
}

export function writeFailedStream({ code, publicText: message }: Fault, requestId: string): string {
  const response = { id: `resp_${requestId}`, object: 'response', output: [], usage: null };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', error: null } },
    { type: 'response.failed', response: { ...response, status: 'failed', error: { code, message } } },
  ];
  return events
    .map(({ type, ...event }, number) => writeSse(JSON.stringify({ type, sequence_number: number, ...event }), type))
    .join('');
}
