// Decodes compressed request bodies in parts, outside the event loop. The reader stops at its limit, so a few compressed
// bytes never take more memory than an uncompressed body may.

import { pipeline } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { fault } from '../faults/fault.ts';

const chunkSize = 64 * 1024;
/** 8 MiB, the most that RFC 9659 allows senders. The decoder allocates what a frame declares. */
const MAX_WINDOW_LOG = 23;

const DECODERS = {
  gzip: () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG } }),
};

export type Encoding = keyof typeof DECODERS;

export const ENCODINGS = Object.keys(DECODERS) as Encoding[];
const LISTED = ENCODINGS.join(', ');

/** Undefined for a body that is not compressed. Throws for an unknown encoding, and for several. */
export function encodingOf(headers: Headers): Encoding | undefined {
  const named = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (named === 'identity') return undefined;
  const encoding = named === 'x-gzip' ? 'gzip' : named;
  if (Object.hasOwn(DECODERS, encoding)) return encoding as Encoding;
  throw fault('invalid_request', {
    message: `This content-encoding is not supported. Use one of ${LISTED}, or send the body without content-encoding.`,
    headers: { 'accept-encoding': LISTED },
  });
}

type Source = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** The end has no value. */
interface BodyChunk {
  value?: Uint8Array | undefined;
}

export interface BodyReader {
  read(): Promise<BodyChunk>;
  cancel(): Promise<void>;
}

export class DecodedReader implements BodyReader {
  readonly #source: Source;
  readonly #encoding: Encoding;
  readonly #decoder: ReturnType<(typeof DECODERS)[Encoding]>;
  readonly #decoded: AsyncIterator<Uint8Array, undefined>;
  /** Why the source ended early. */
  #failure: unknown;

  /** `checkEncoded` is called with the number of compressed bytes so far, and may throw. */
  constructor(source: Source, encoding: Encoding, checkEncoded: (bytes: number) => void) {
    this.#source = source;
    this.#encoding = encoding;
    this.#decoder = DECODERS[encoding]();
    this.#decoded = this.#decoder[Symbol.asyncIterator]();
    // Its errors are those that the iterator throws.
    pipeline(this.#encoded(checkEncoded), this.#decoder, () => {});
  }

  async read(): Promise<BodyChunk> {
    try {
      return await this.#decoded.next();
    } catch {
      throw this.#failure ?? brokenBody(this.#encoding);
    }
  }

  cancel(): Promise<void> {
    this.#decoder.destroy();
    return this.#source.cancel();
  }

  async *#encoded(check: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await this.#source.read();
        if (done) return;
        bytes += value.byteLength;
        check(bytes);
        yield value;
      }
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

function brokenBody(encoding: Encoding) {
  return fault('invalid_request', {
    message: `The body is not valid ${encoding} data, as its content-encoding says. Compress it again, or send it without content-encoding.`,
  });
}
