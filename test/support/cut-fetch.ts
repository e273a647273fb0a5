// A fetch that delivers the body of an upstream in exactly the pieces that a header of its script asks for. Pieces that the
// script itself sends apart do not arrive apart: both ends of the socket are in one process, and small writes are joined.

const PIECES = 'x-test-pieces';

/** Sizes in bytes, used in turn until the body ends. */
export const piecesOf = (...sizes: number[]) => ({ [PIECES]: sizes.join(',') });

export async function cutFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const sizes = response.headers.get(PIECES)?.split(',').map(Number);
  if (!sizes) return response;
  const bytes = await response.bytes();
  let at = 0;
  let count = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) {
        controller.close();
        return;
      }
      const from = at;
      at += sizes[count++ % sizes.length] ?? 1;
      controller.enqueue(bytes.subarray(from, at));
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
