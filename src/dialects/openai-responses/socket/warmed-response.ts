// The answer to a message with `generate: false`: the input is remembered, and no model is asked.

import type { CreateMessage } from './create-message.ts';

export function writeWarmed(id: string, { model = null, streamId }: CreateMessage, now: number): string[] {
  const response = { id, object: 'response', created_at: Math.floor(now / 1_000), model, output: [], error: null };
  const own = streamId === undefined ? {} : { stream_id: streamId };
  return [
    { type: 'response.created', sequence_number: 0, ...own, response: { ...response, status: 'in_progress' } },
    {
      type: 'response.completed',
      sequence_number: 1,
      ...own,
      response: { ...response, status: 'completed', usage: null },
    },
  ].map((event) => JSON.stringify(event));
}
