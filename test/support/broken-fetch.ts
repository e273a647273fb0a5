// A fetch whose upstreams answer from memory and break off at a given byte: by a close, as a body without a length ends,
// or by a reset.

export type Break = 'fin' | 'rst';

export interface FakeAnswer {
  body: string | Uint8Array;
  status?: number;
  type?: string;
  /** Where it breaks off, and how. */
  cut?: { after: number; by: Break };
}

export interface FakeCall {
  host: string;
  body: { model: string; messages: { role: string; content: string }[] };
}

export function createFakeFetch(answer: (call: FakeCall) => FakeAnswer) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const {
      body,
      status = 200,
      type = 'text/event-stream',
      cut,
    } = answer({
      host: new URL(url).hostname,
      body: JSON.parse(String(init.body)),
    });
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const shown = cut ? bytes.subarray(0, cut.after) : bytes;
    let isSent = shown.byteLength === 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!isSent) {
          isSent = true;
          controller.enqueue(shown);
        } else if (cut?.by === 'rst') controller.error(new Error('ECONNRESET'));
        else controller.close();
      },
    });
    return new Response(stream, { status, headers: { 'content-type': type } });
  };
}
