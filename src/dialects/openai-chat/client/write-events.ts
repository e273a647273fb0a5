// Writes an answer for a chat client, streamed or whole: text, calls and thoughts as deltas, and one finish reason. The sender
// adds the usage and the end of the stream.

import { type JsonObject, objectsOf } from '../../../kit/json/json.ts';
import type { AnswerContext, EventWriter } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, StopReason, UrlCitation } from '../../translate/answer-events.ts';
import { tagToolId } from '../../translate/opaque.ts';
import { addDelta } from '../other-form.ts';
import { REDACTED_DETAIL, TEXT_DETAIL, writeDetailId } from '../read-reasoning.ts';
import { asksForUsage } from '../read-request.ts';
import { usesFunctions } from './read-tools.ts';

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

type Delta = { delta: JsonObject; finish: string | null };

function createDeltaWriter(context: AnswerContext): (event: AnswerEvent) => Delta[] {
  const isLegacy = usesFunctions(context.asked.value);
  const reasoning = createReasoningWriter(context.origin);
  const calls = createCallWriter(context, isLegacy);
  let open: Block | undefined;
  let isOver = false;

  function begin(block: Block): JsonObject[] {
    open = block;
    if (block.kind !== 'reasoning' && block.kind !== 'redacted') reasoning.passOver();
    if (block.kind === 'tool') return calls.open(block);
    return block.kind === 'redacted' ? reasoning.redact(block.data) : [];
  }

  function add(text: string): JsonObject[] {
    switch (open?.kind) {
      case 'text':
        return [{ content: text }];
      case 'refusal':
        return [{ refusal: text }];
      case 'reasoning':
        return reasoning.add(text);
      case 'tool':
        return calls.add(text);
      default:
        return [];
    }
  }

  function close(): JsonObject[] {
    const kind = open?.kind;
    open = undefined;
    if (kind === 'tool') return calls.close();
    return kind === 'reasoning' || kind === 'text' ? reasoning.close() : [];
  }

  function deltasOf(event: AnswerEvent): JsonObject[] {
    switch (event.type) {
      case 'open':
        return begin(event.block);
      case 'delta':
        return add(event.text);
      case 'sign':
        reasoning.sign(event.signature);
        return [];
      case 'cite':
        return [{ annotations: [writeCitation(event.citation)] }];
      case 'close':
        return close();
      default:
        return [];
    }
  }

  return (event) => {
    if (isOver) return [];
    if (event.type !== 'stop') return deltasOf(event).map((delta) => ({ delta, finish: null }));
    isOver = true;
    return [{ delta: {}, finish: finishOf(event.reason, calls.count(), isLegacy) }];
  };
}

const FINISHES = { end: 'stop', length: 'length', filter: 'content_filter', tool: 'tool_calls' } as const;

function finishOf(reason: StopReason, calls: number, isLegacy: boolean): string {
  // A client would look for calls that are not there.
  if (reason === 'tool' && calls === 0) return FINISHES.end;
  return reason === 'tool' && isLegacy ? 'function_call' : FINISHES[reason];
}

function writeCitation({ url, title, start, end }: UrlCitation): JsonObject {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } };
}

/**
 * Calls are counted from zero even if other content is between them. They are of functions, of custom tools, or
 * `function_call` for a client that uses that older form, which has one call only.
 */
function createCallWriter({ tools, origin }: AnswerContext, isLegacy: boolean) {
  const custom = new Set(tools.filter(({ isCustom }) => isCustom).map(({ name }) => name));
  let count = 0;
  let isCustom = false;
  let isEmpty = true;

  function add(text: string): JsonObject[] {
    if (text === '') return [];
    isEmpty = false;
    if (isLegacy) return count === 1 ? [{ function_call: { arguments: text } }] : [];
    const delta = isCustom ? { custom: { input: text } } : { function: { arguments: text } };
    return [{ tool_calls: [{ index: count - 1, ...delta }] }];
  }

  return {
    open({ id, name, signature }: Extract<Block, { kind: 'tool' }>): JsonObject[] {
      count++;
      isCustom = custom.has(name);
      isEmpty = true;
      if (isLegacy) return count === 1 ? [{ function_call: { name, arguments: '' } }] : [];
      const tagged = signature === undefined ? id : tagToolId(id, { origin, value: signature });
      const call = isCustom
        ? { id: tagged, type: 'custom', custom: { name, input: '' } }
        : { id: tagged, type: 'function', function: { name, arguments: '' } };
      const extra = signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
      return [{ tool_calls: [{ index: count - 1, ...call, ...extra }] }];
    },
    add,
    // Arguments must be JSON, and an empty text is not.
    close: () => (isEmpty && !isCustom ? add('{}') : []),
    count: () => count,
  };
}

/**
 * The text of reasoning in both fields that clients know, and at its end each block with its signature and model, so that the
 * client can send it back. The signature of a text is sent in the same list. A chat message does not keep the place of
 * reasoning among text and calls, so a block that did not come first is marked.
 */
function createReasoningWriter(origin: string) {
  let text = '';
  let signature: string | undefined;
  let index = 0;
  let isMoved = false;
  /** By whom it was made and where it stood; the id says so once more. */
  const made = (content: string): JsonObject => ({
    id: writeDetailId(origin, content, isMoved),
    origin,
    ...(isMoved ? { moved: true } : {}),
  });
  return {
    /** Text or a call follows: later blocks do not come first. */
    passOver() {
      isMoved = true;
    },
    add(more: string): JsonObject[] {
      text += more;
      return [{ reasoning_content: more, reasoning: more }];
    },
    sign(value: string) {
      signature = (signature ?? '') + value;
    },
    redact: (data: string): JsonObject[] => [
      { reasoning_details: [{ type: REDACTED_DETAIL, index: index++, data, ...made(data) }] },
    ],
    close(): JsonObject[] {
      if (text === '' && signature === undefined) return [];
      const detail: JsonObject = { type: TEXT_DETAIL, index: index++, text, signature, ...made(text) };
      text = '';
      signature = undefined;
      return [{ reasoning_details: [detail] }];
    },
  };
}
