// The bytes of an answer as a stream of events, one for each chunk, where a dialect has answers of bytes.

import type { Dialect } from '../dialects/dialect.ts';

/** Undefined if the answer is not such bytes. An answer shorter than its declared length is incomplete. */
export function framed({ stream }: Dialect, response: Response): Response | undefined {
  const frames = stream.frameBytes?.(response.headers.get('content-type') ?? '');
  if (!frames || !response.body) return undefined;
  const declared = Number(response.headers.get('content-length') ?? 0);
  const encoder = new TextEncoder();
  let read = 0;
  const framing = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      read += bytes.byteLength;
      controller.enqueue(encoder.encode(frames.chunk(bytes)));
    },
    flush(controller) {
      if (read < declared) controller.error(new Error('the answer is shorter than declared'));
      else controller.enqueue(encoder.encode(frames.end));
    },
  });
  return new Response(response.body.pipeThrough(framing));
}
