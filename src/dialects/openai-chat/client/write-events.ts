// Writes an answer for a chat client, streamed or whole. The sender adds the usage and the end of the stream.

import { type JsonObject, objectsOf } from '../../../kit/json/json.ts';
import type { AnswerContext, EventWriter } from '../../translate/adapters.ts';
import type { AnswerEvent } from '../../translate/answer-events.ts';
import { addDelta } from '../other-form.ts';
import { asksForUsage } from '../read-request.ts';
import { createDeltaWriter, type Delta } from './write-deltas.ts';

export function createEventWriter(context: AnswerContext): EventWriter {
  const write = createDeltaWriter(context);
  // Then every chunk except the last has `usage: null`.
  const usage = asksForUsage(context.asked.value) ? { usage: null } : {};
  let hasBegun = false;

  function frame({ delta, finish }: Delta) {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return { event: undefined, data: JSON.stringify({ ...head(context, 'chat.completion.chunk'), choices, ...usage }) };
  }

  function begin() {
    if (hasBegun) return [];
    hasBegun = true;
    return [frame({ delta: { role: 'assistant', content: '' }, finish: null })];
  }

  return {
    begin,
    write(event) {
      const deltas = write(event);
      return deltas.length === 0 ? [] : [...begin(), ...deltas.map(frame)];
    },
  };
}

export function writeWhole(events: readonly AnswerEvent[], context: AnswerContext): string {
  const write = createDeltaWriter(context);
  const message: JsonObject = { role: 'assistant', content: null, refusal: null };
  let reason: string | null = null;
  for (const { delta, finish } of events.flatMap(write)) {
    addDelta(message, delta);
    reason = finish ?? reason;
  }
  for (const call of objectsOf(message.tool_calls)) delete call.index;
  // Clients expect null only with a call, and read the length of other content.
  const hasCalls = message.tool_calls !== undefined || message.function_call !== undefined;
  if (!hasCalls) message.content ??= '';
  const choices = [{ index: 0, message, logprobs: null, finish_reason: reason }];
  // @openrouter/sdk refuses an answer that does not name its fingerprint, if only to say that there is none.
  return JSON.stringify({ ...head(context, 'chat.completion'), choices, system_fingerprint: null });
}

function head({ requestId, createdAt, model }: AnswerContext, object: string): JsonObject {
  return { id: `chatcmpl-${requestId}`, object, created: createdAt, model };
}
