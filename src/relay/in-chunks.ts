// Splits bytes into chunks and yields to the event loop after each, so that a large body does not delay other requests.

const CHUNK_BYTES = 256 * 1024;

export async function* inChunks<Bytes extends string | Uint8Array>(
  source: AsyncIterable<Bytes> | Iterable<Bytes>,
  pause: () => Promise<void>,
): AsyncGenerator<Bytes> {
  let since = 0;
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.length > CHUNK_BYTES ? partOf(bytes, at) : bytes;
      yield chunk;
      since += chunk.length;
      if (since < CHUNK_BYTES) continue;
      since = 0;
      await pause();
    }
  }
}

function partOf<Bytes extends string | Uint8Array>(bytes: Bytes, at: number): Bytes {
  const part = typeof bytes === 'string' ? bytes.slice(at, at + CHUNK_BYTES) : bytes.subarray(at, at + CHUNK_BYTES);
  return part as Bytes;
}
