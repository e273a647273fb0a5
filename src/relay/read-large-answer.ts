// A whole answer that may be large. As long as it is short it is only kept; once it is not, its long members are checked as
// they come and stay bytes, and their capacity is acquired. An answer above our limit ends the call: another
// channel's would be as large.

import type { LongAnswers } from '../dialects/dialect.ts';
import { Fault } from '../faults/fault.ts';
import { JsonRefused } from '../kit/json/json.ts';
import { LongMemberReader, type MarkedJson } from '../kit/json/long-members.ts';
import type { AnswerLease } from '../limits/answer-capacity.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Call, RelayTools } from './call.ts';
import { inTurns } from './in-turns.ts';
import { MAX_ANSWER_BYTES, readBytes, SHORT_BYTES } from './read-upstream-text.ts';
import type { Watch } from './watch.ts';

/** Others of the account are read and sent meanwhile. */
const CAPACITY_WAIT_MS = 30_000;

export interface LargeAnswer {
  document: MarkedJson;
  /** Release it once the answer was sent, or will not be. */
  capacity: AnswerLease;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** An answer that turns out to be short is given as its text. Throws AttemptFailed. */
export async function readLargeAnswer(
  tools: Pick<RelayTools, 'clock'>,
  call: Call,
  long: LongAnswers,
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
  watch.isNotLate();
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
  long: LongAnswers,
  bytes: AsyncIterable<Bytes>,
  watch: Watch,
): Promise<LargeAnswer> {
  const capacity = callCapacity.openAnswer();
  const reader = new LongMemberReader(long.member);
  const tooLarge = () => new AttemptFailed('too_large', { refusal: long.tooLarge(request) });

  async function grow(more: number): Promise<void> {
    const others = capacity.grow(more);
    if (!others) return;
    // Nothing more is read meanwhile, which is not the channel's fault.
    watch.holdUp();
    const cancel = clock.after(CAPACITY_WAIT_MS, capacity.release);
    try {
      await watch.until(others);
    } catch (error) {
      throw error instanceof Fault ? new AttemptFailed('too_large', { refusal: error }) : error;
    } finally {
      cancel();
      watch.goOn();
    }
  }

  try {
    for await (const piece of inTurns(bytes, pause)) {
      reader.push(piece);
      if (reader.bytes > capacity.maxBytes || reader.restBytes > MAX_ANSWER_BYTES) throw tooLarge();
      await grow(piece.length);
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
