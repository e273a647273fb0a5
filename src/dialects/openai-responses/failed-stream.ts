// A fault as a stream that begins and fails.

import { writeEvents } from './write-events.ts';

export function writeFailedStream(error: { code: string; message: string }, requestId: string): string {
  const response = { id: `resp_${requestId}`, object: 'response', output: [], usage: null };
  return writeEvents([
    { type: 'response.created', response: { ...response, status: 'in_progress', error: null } },
    { type: 'response.failed', response: { ...response, status: 'failed', error } },
  ]);
}
