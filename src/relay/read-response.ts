// The body of an upstream's response, read under a watch: every read can be aborted, and the whole is bounded.

import type { LongMemberRules } from '../dialects/dialect.ts';
import { Fault } from '../faults/fault.ts';
import { JsonRefused } from '../kit/json/json.ts';
import { LongMemberReader, type MarkedJson } from '../kit/json/long-members.ts';
import type { AnswerLease } from '../limits/load.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Call } from './call.ts';
import type { Watch } from './watch.ts';

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Ends as soon as the watch aborts. */
async function* readBytes(
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
const SHORT_BYTES = 1024 * 1024;

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

/** How long to wait for memory that other answers of the account use. */
const CAPACITY_WAIT_MS = 30_000;

export interface LargeAnswer {
  document: MarkedJson;
  /** Release it once the answer was sent, or will not be. */
  capacity: AnswerLease;
}

export function dropLarge({ document, capacity }: LargeAnswer): void {
  document.drop();
  capacity.release();
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads a whole answer that may be large. Above 1 MiB its long members are checked as they arrive and stay bytes, and memory
 * is reserved for them. An answer above our limit ends the call, because another channel's would be as large. A short answer
 * is returned as its text. Throws AttemptFailed.
 */
export async function readLargeAnswer(
  call: Call,
  long: LongMemberRules,
  response: Response,
  watch: Watch,
): Promise<LargeAnswer | string> {
  const bytes = readBytes(response, watch, MAX_ANSWER_BYTES + long.mostBytes(call.request));
  const begun: Bytes[] = [];
  let length = 0;
  while (length <= SHORT_BYTES) {
    const { done, value } = await bytes.next();
    if (done) return new TextDecoder().decode(Buffer.concat(begun));
    begun.push(value);
    length += value.length;
  }
  watch.stopSilenceTimer();
  return readMembers(call, long, join(begun, bytes), watch);
}

async function* join(begun: Bytes[], rest: AsyncGenerator<Bytes>): AsyncGenerator<Bytes> {
  try {
    yield* begun;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function readMembers(
  { tools, request, capacity: callCapacity, pause }: Call,
  long: LongMemberRules,
  bytes: AsyncIterable<Bytes>,
  watch: Watch,
): Promise<LargeAnswer> {
  const capacity = callCapacity.openAnswer();
  const reader = new LongMemberReader(long.member);
  const tooLarge = () => new AttemptFailed('too_large', { refusal: long.tooLarge(request) });

  async function grow(more: number): Promise<void> {
    const others = capacity.grow(more);
    if (!others) return;
    // Nothing is read meanwhile: this time does not count for the channel.
    watch.pause();
    const cancel = tools.clock.after(CAPACITY_WAIT_MS, capacity.release);
    try {
      await watch.until(others);
    } catch (error) {
      throw error instanceof Fault ? new AttemptFailed('too_large', { refusal: error }) : error;
    } finally {
      cancel();
      watch.resume();
    }
  }

  try {
    for await (const chunk of inChunks(bytes, pause)) {
      reader.push(chunk);
      if (reader.bytes > capacity.maxBytes || reader.restBytes > MAX_ANSWER_BYTES) throw tooLarge();
      await grow(chunk.length);
    }
    capacity.finishReading();
    return { document: endOf(reader, tooLarge), capacity };
  } catch (error) {
    reader.drop();
    capacity.release();
    throw error;
  }
}

function endOf(reader: LongMemberReader, tooLarge: () => AttemptFailed): MarkedJson {
  try {
    return reader.end();
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw error.problem === 'too_many_values' ? tooLarge() : new AttemptFailed('not_an_answer');
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Splits bytes into chunks and yields to the event loop after each, so that a large body does not delay other requests. */
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
