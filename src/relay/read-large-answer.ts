// A whole answer that may be large: its long members are checked as they come and stay bytes, and the room that they take is
// asked for. More than we take ends the call: another channel would say as much.

import type { LongAnswers } from '../dialects/dialect.ts';
import { Fault } from '../faults/fault.ts';
import { JsonRefused } from '../kit/json/json.ts';
import { LongMemberReader, type MarkedJson } from '../kit/json/long-members.ts';
import type { AnswerRoom } from '../limits/answer-room.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Call, RelayTools } from './call.ts';
import { inTurns } from './in-turns.ts';
import { MAX_ANSWER_BYTES, readBytes, SHORT_BYTES } from './read-upstream-text.ts';
import type { Watch } from './watch.ts';

/** Others of the account are read and sent meanwhile. */
const ROOM_WAIT_MS = 30_000;

export interface LargeAnswer {
  /** Undefined if it is none. */
  document: MarkedJson | undefined;
  /** To be left when it was sent, or is not. */
  room: AnswerRoom;
}

/** An answer that turns out to be short is given as its text. Throws AttemptFailed. */
export async function readLargeAnswer(
  { clock }: Pick<RelayTools, 'clock'>,
  { request, openAnswer, pause }: Call,
  long: LongAnswers,
  response: Response,
  watch: Watch,
): Promise<LargeAnswer | string> {
  const room = openAnswer();
  const reader = new LongMemberReader(long.member);
  const tooLarge = () => new AttemptFailed('too_large', { refusal: long.tooLarge(request) });

  async function grow(bytes: number): Promise<void> {
    const others = room.grow(bytes);
    if (!others) return;
    // Nothing more is read meanwhile, which is not the channel's fault.
    watch.holdUp();
    const cancel = clock.after(ROOM_WAIT_MS, room.leave);
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
    let taken = 0;
    const most = MAX_ANSWER_BYTES + long.mostBytes(request);
    for await (const bytes of inTurns(readBytes(response, watch, most), pause)) {
      reader.push(bytes);
      if (reader.bytes > room.most || reader.restBytes > MAX_ANSWER_BYTES) throw tooLarge();
      if (reader.bytes > SHORT_BYTES) await grow(reader.bytes - taken);
      if (reader.bytes > SHORT_BYTES) taken = reader.bytes;
    }
    room.isRead();
    if (reader.bytes > SHORT_BYTES) return { document: endOf(reader), room };
    room.leave();
    return reader.text();
  } catch (error) {
    reader.drop();
    room.leave();
    throw error instanceof JsonRefused && error.problem === 'too_many_values' ? tooLarge() : error;
  }
}

function endOf(reader: LongMemberReader): MarkedJson | undefined {
  try {
    return reader.end();
  } catch (error) {
    if (error instanceof JsonRefused && error.problem !== 'too_many_values') return undefined;
    throw error;
  }
}
