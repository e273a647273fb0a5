// The bytes of an upstream's response under a watch: every read can be aborted, and the whole is bounded.

import { AttemptFailed } from './attempt-failed.ts';
import type { Watch } from './watch.ts';

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Ends as soon as the watch aborts. */
export async function* readBytes(
  response: Response,
  watch: Watch,
  mostBytes = MAX_ANSWER_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (!response.body) return;
  const reader = response.body.getReader();
  let total = 0;
  try {
    for (;;) {
      const { done, value } = await watch.until(reader.read());
      if (done) return;
      watch.noteBytes();
      total += value.byteLength;
      if (total > mostBytes) throw new AttemptFailed('flood');
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** An answer with a declared, short length is read in one call, which the watch's signal can end. */
export const SHORT_BYTES = 1024 * 1024;

export function readText(response: Response, watch: Watch): Promise<string> {
  return isShort(response) ? response.text() : readLong(response, watch);
}

async function readLong(response: Response, watch: Watch): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of readBytes(response, watch)) text += decoder.decode(bytes, { stream: true });
  return text + decoder.decode();
}

/** Not for a compressed body, whose content may be longer, nor for a chunked one, which may exceed the header. */
export function isShort({ headers }: Response): boolean {
  const length = headers.get('content-length');
  const isPlain = !headers.has('content-encoding') && !headers.has('transfer-encoding');
  return length !== null && Number(length) <= SHORT_BYTES && isPlain;
}
