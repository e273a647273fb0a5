// For a prompt that is too long, Codex gets the fault in its stream and all other clients get it as a status. Codex ignores the status:
// even to compact, it sends the same prompt again and again, and the session is lost. After a failure in the stream it
// removes the oldest turns and goes on.

import type { Fault } from '../faults/fault.ts';

export const STREAM_TYPE = 'text/event-stream; charset=utf-8';

const CODEX = /^codex/i;

/** The client's name for itself. Codex sends it in two headers, one of which its user may change. */
export function clientName(headers: Headers): string | null {
  const originator = headers.get('originator');
  return originator !== null && CODEX.test(originator) ? originator : headers.get('user-agent');
}

/** Codex always asks for a stream. */
export function belongsInStream({ code }: Fault, path: string, client: string | null): boolean {
  return code === 'context_length_exceeded' && path === '/v1/responses' && CODEX.test(client ?? '');
}
