// A JSON answer: it is written and settled before it is sent, with `model` as the client knows it and the cost in the headers.
// The long members of a large answer were checked before, and are sent as the client reads them.

import type { Clock } from '../kit/clock.ts';
import { fillLong } from '../kit/json/long-members.ts';
import { addSettled, answerHeaders } from './answer-headers.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunAnswer, WholeAnswer } from './begun.ts';
import { billAnswer, billUnsent } from './bill.ts';
import { type Send, toByteStream } from './byte-stream.ts';
import type { Answer, Call } from './call.ts';
import type { Closing } from './close.ts';
import { maySpendUnseen } from './needs-report.ts';
import { dropLarge, inChunks, type LargeAnswer } from './read-response.ts';

export async function deliverWhole(closing: Closing, answer: BegunAnswer<WholeAnswer>): Promise<Answer> {
  const { admission } = closing;
  const { call } = admission;
  const { step, begun } = answer;
  try {
    if (call.gone.aborted) {
      await closing.settle('client_gone', billUnsent(call, step, begun.facts), { first: answer, last: answer });
      throw new AttemptFailed('client_gone');
    }
    const bill = billAnswer(call, step, begun.facts, maySpendUnseen(call, step, 0));
    const needsBill = begun.carrier.isTranslated || bill.isRestated;
    const model = step.model === call.named ? call.request.model : step.model.id;
    // Written before the settlement: once money has moved, nothing may fail any more.
    const text = call.dialect.answer.write(begun.document, model, call.request, needsBill ? bill : undefined);
    const headers = answerHeaders(admission, step, begun);
    headers['content-type'] = call.dialect.answer.contentType?.(call.request) ?? 'application/json';
    const settled = await closing.settle('ok', bill, { first: answer, last: answer });
    if (settled) addSettled(headers, admission, settled, bill.buckets);
    return { headers, body: begun.large ? largeBody(call, text, begun.large) : text };
  } catch (error) {
    if (begun.large) dropLarge(begun.large);
    throw error;
  }
}

function largeBody(call: Call, text: string, large: LargeAnswer) {
  const { tools, dialect, request, requestId, connection, gone, pause } = call;
  if (gone.aborted) {
    dropLarge(large);
    return '';
  }
  const write = dialect.answer.longMembers?.write;
  const parts = fillLong(text, large.document, (member) => write?.(member, request) ?? member.chunks);
  // The call is closed, but a drain must wait for a paid answer. It has an id of its own, because a late settlement removes
  // that of the call.
  const sending = `${requestId} is sent`;
  tools.running.add(sending);
  let hasLeft = false;
  const onGone = () => {
    hasLeft = true;
  };
  const send = async (take: Send) => {
    const sendChunk = withMinimumRate(tools.clock, take);
    try {
      for await (const chunk of inChunks(parts, pause)) {
        if (hasLeft) break;
        await sendChunk(chunk);
      }
    } finally {
      dropLarge(large);
      tools.running.delete(sending);
    }
  };
  return toByteStream(send, { ...tools, connection, gone, keepAlive: () => '', onGone });
}

const MIN_BYTES = 1024 * 1024;
const WITHIN_MS = 60_000;

/**
 * A `Send` that throws when the client has read less than 1 MiB in a minute: its unsent bytes take memory that other calls need.
 */
export function withMinimumRate(
  clock: Pick<Clock, 'monotonic'>,
  send: Send,
): (chunk: string | Uint8Array) => Promise<void> {
  let since = clock.monotonic();
  let bytes = 0;
  return async (chunk) => {
    await send(chunk);
    const now = clock.monotonic();
    if (now - since > WITHIN_MS) throw new Error('the client reads too slowly');
    bytes += chunk.length;
    if (bytes < MIN_BYTES) return;
    bytes = 0;
    since = now;
  };
}
