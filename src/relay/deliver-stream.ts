// A stream on its way to the client: events pass as they come, the last ones wait for the bill, and however it ends
// (well, cut by the upstream, left by the client, drained by us) it is closed once and says so in its own dialect.

import { withCost, writeUsage } from '../dialects/openai-chat/write-usage.ts';
import { writeSse } from '../dialects/sse.ts';
import { type Fault, fault } from '../faults/fault.ts';
import { faultBody } from '../faults/write.ts';
import { failpoint } from '../kit/failpoint.ts';
import { editMembers, isObject, type JsonDocument, type JsonObject } from '../kit/json.ts';
import { answerHeaders } from './answer-headers.ts';
import type { BegunStream } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { type Bill, billAnswer, billDelivered } from './bill.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import type { Closing, Settled } from './close.ts';

export function deliverStream(tools: RelayTools, admission: Admission, closing: Closing, begun: BegunStream): Answer {
  return {
    headers: {
      ...answerHeaders(tools, admission, begun.route.channel.name),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
    body: toByteStream(streamEvents(tools, admission, closing, begun), admission.call.gone, () =>
      begun.watch.abort('client_gone'),
    ),
  };
}

async function* streamEvents(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  begun: BegunStream,
): AsyncGenerator<string> {
  const { call } = admission;
  const { reader, watch, firstTokenMs } = begun;
  const channel = begun.route.channel.name;
  const served = { channel, firstTokenMs };
  const waiting: JsonDocument[] = [];
  let head: JsonObject = {};
  let hasSent = false;
  try {
    for await (const event of begun.events) {
      if (event.kind === 'done') break;
      if (event.kind === 'broken') throw new AttemptFailed(event.why);
      head = event.document.value;
      if (event.kind === 'usage') waiting.push(event.document);
      else {
        yield writeSse(editMembers(event.document, { model: call.request.model }));
        failpoint(hasSent ? 'K5' : 'K4');
        hasSent = true;
      }
    }
    const facts = reader.facts();
    if (!facts.finished) throw new AttemptFailed('cut');
    if (facts.usage === 'invalid') tools.alarms.raise('usage_invalid', { request_id: call.requestId, channel });
    const bill = billAnswer(call, facts);
    const settled = await closing.settle('ok', bill, served);
    yield* lastEvents(admission, waiting, head, bill, settled);
  } catch (error) {
    const failed = watch.explain(error);
    if (failed.outcome === 'client_gone' || closing.done) return;
    const told = failed.outcome === 'drained' ? fault('unavailable') : fault('upstream_failed');
    await closing.release(told.code, { giveBackSlots: true, channel });
    yield errorEvent(tools, admission, told);
  } finally {
    watch.abort('client_gone');
    watch.end();
    if (!closing.done && hasSent) await closing.settle('client_gone', billDelivered(call, reader.facts()), served);
    else if (!closing.done) await closing.release('client_gone', { giveBackSlots: false, channel });
  }
}

/** Usage and end. A client that did not ask for usage gets none, though we made the upstream report it. */
function* lastEvents(
  { call }: Admission,
  waiting: readonly JsonDocument[],
  head: JsonObject,
  bill: Bill,
  settled: Settled | undefined,
): Generator<string> {
  const { includeUsage, model } = call.request;
  for (const document of waiting) {
    const { choices, usage } = document.value;
    const isUsageAlone = !Array.isArray(choices) || choices.length === 0;
    if (!includeUsage && isUsageAlone) continue;
    const shown = includeUsage && isObject(usage) ? withCost(usage, settled?.cost) : undefined;
    yield writeSse(editMembers(document, { model, usage: shown }));
  }
  if (includeUsage && waiting.length === 0) {
    const usage = withCost(writeUsage(bill), settled?.cost);
    yield writeSse(
      JSON.stringify({ id: head.id, object: head.object, created: head.created, model, choices: [], usage }),
    );
  }
  yield writeSse('[DONE]');
}

function errorEvent(tools: RelayTools, { call }: Admission, told: Fault): string {
  const body = faultBody(told, 'openai', { requestId: call.requestId, publicUrl: tools.publicUrl });
  return writeSse(JSON.stringify(body));
}

/** Pulled by the client's reading, so a slow reader slows the upstream; ended at once when the client is gone. */
function toByteStream(
  events: AsyncGenerator<string>,
  gone: AbortSignal,
  onGone: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const end = async () => {
    onGone();
    await events.return(undefined);
  };
  // A server need not cancel a body that it never began to send.
  gone.addEventListener('abort', () => void end(), { once: true });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: end,
  });
}
