// Reads a whole answer that may be large. Above 1 MiB its long members are checked as they arrive and stay bytes, and memory
// is reserved for them. An answer above our limit ends the call, because another channel's would be as large.

import type { LongMemberRules } from '../dialects/dialect.ts';
import { Fault } from '../faults/fault.ts';
import { JsonRefused } from '../kit/json/json.ts';
import { LongMemberReader, type MarkedJson } from '../kit/json/long-members.ts';
import type { AnswerLease } from '../limits/answer-capacity.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Call, RelayTools } from './call.ts';
import { inChunks } from './in-chunks.ts';
import { MAX_ANSWER_BYTES, readBytes, SHORT_BYTES } from './read-upstream-text.ts';
import type { Watch } from './watch.ts';

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

/** A short answer is returned as its text. Throws AttemptFailed. */
export async function readLargeAnswer(
  tools: Pick<RelayTools, 'clock'>,
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
  return readMembers(tools, call, long, join(begun, bytes), watch);
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
  { clock }: Pick<RelayTools, 'clock'>,
  { request, capacity: callCapacity, pause }: Call,
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
    const cancel = clock.after(CAPACITY_WAIT_MS, capacity.release);
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
