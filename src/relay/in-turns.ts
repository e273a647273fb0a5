// Bytes in pieces of a size after which others have their turn: what is there already would otherwise be worked through at one
// go, however much it is.

const PIECE_BYTES = 256 * 1024;

export async function* inTurns<Bytes extends string | Uint8Array>(
  source: AsyncIterable<Bytes> | Iterable<Bytes>,
  pause: () => Promise<void>,
): AsyncGenerator<Bytes> {
  let since = 0;
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.length > PIECE_BYTES ? partOf(bytes, at) : bytes;
      yield piece;
      since += piece.length;
      if (since < PIECE_BYTES) continue;
      since = 0;
      await pause();
    }
  }
}

function partOf<Bytes extends string | Uint8Array>(bytes: Bytes, at: number): Bytes {
  const part = typeof bytes === 'string' ? bytes.slice(at, at + PIECE_BYTES) : bytes.subarray(at, at + PIECE_BYTES);
  return part as Bytes;
}
