// The demo channel: an upstream inside the process that supports the OpenAI chat format and the Anthropic messages format,
// streams at reading speed and reports usage.

import { type Clock, sleep } from '../../kit/clock.ts';
import type { NewId } from '../../kit/ids.ts';
import type { Upstream } from '../upstream.ts';
import { type DemoAnswer, type DemoCall, demoAnswer } from './demo-answer.ts';

interface DemoSettings {
  clock: Clock;
  newId: NewId;
  /** Between two chunks of a stream. */
  paceMs: number;
}

/** One write, and whether a pause comes before it. */
interface Frame {
  text: string;
  paced: boolean;
}

interface Head {
  id: string;
  created: number;
}

const MODEL = 'demo';
const FINISH_REASONS = { stop: 'stop', length: 'length', call: 'tool_calls' };
const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', call: 'tool_use' };

export function createDemoUpstream({ clock, newId, paceMs }: DemoSettings): Upstream {
  return {
    hidden: [],
    listModels: async () => Response.json({ data: [{ id: 'demo' }] }),
    async send({ endpoint, body, stream, signal, estimateInput }) {
      const answer = demoAnswer(body, estimateInput?.() ?? 0);
      const head = { id: newId('req').slice(4), created: Math.floor(clock.now() / 1000) };
      const isChat = endpoint === 'chat';
      if (!stream) return Response.json(isChat ? chatAnswer(head, answer) : messageAnswer(head, answer));
      const frames = isChat ? chatFrames(head, answer) : messageFrames(head, answer);
      const encoder = new TextEncoder();
      return new Response(
        new ReadableStream({
          async pull(controller) {
            const { done, value } = frames.next();
            if (done) return controller.close();
            if (value.paced && paceMs > 0) await sleep(clock, paceMs, signal);
            controller.enqueue(encoder.encode(value.text));
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    },
  };
}

function chatAnswer({ id, created }: Head, answer: DemoAnswer) {
  const { call, chunks, finish } = answer;
  const text = chunks.join('');
  const choices = Array.from({ length: answer.choices }, (_, index) => ({
    index,
    message: {
      role: 'assistant',
      content: call ? null : text,
      refusal: null,
      ...deltaOf(call && chatCall(call, `call_${id}${index}`, text)),
    },
    logprobs: null,
    finish_reason: FINISH_REASONS[finish],
  }));
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created,
    model: MODEL,
    choices,
    usage: usageOf(answer),
    system_fingerprint: null,
  };
}

function* chatFrames({ id, created }: Head, answer: DemoAnswer): Generator<Frame> {
  const { call, chunks, finish } = answer;
  const chunk = (choices: unknown[], usage: unknown = null) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created, model: MODEL, choices, usage })}\n\n`;
  for (let index = 0; index < answer.choices; index++) {
    const choice = (delta: unknown, finishReason: string | null = null) =>
      chunk([{ index, delta, logprobs: null, finish_reason: finishReason }]);
    const begun = call && { index: 0, ...chatCall(call, `call_${id}${index}`, '') };
    yield { text: choice({ role: 'assistant', content: call ? null : '', ...deltaOf(begun) }), paced: false };
    for (const text of chunks) {
      const delta = call ? deltaOf({ index: 0, ...argumentsOf(call, text) }) : { content: text };
      yield { text: choice(delta), paced: true };
    }
    yield { text: choice({}, FINISH_REASONS[finish]), paced: false };
  }
  yield { text: chunk([], usageOf(answer)), paced: false };
  yield { text: 'data: [DONE]\n\n', paced: false };
}

const deltaOf = (call: object | undefined) => (call ? { tool_calls: [call] } : {});

function chatCall({ name, input }: DemoCall, id: string, text: string) {
  return typeof input === 'string'
    ? { id, type: 'custom', custom: { name, input: text } }
    : { id, type: 'function', function: { name, arguments: text } };
}

function argumentsOf({ input }: DemoCall, text: string) {
  return typeof input === 'string' ? { custom: { input: text } } : { function: { arguments: text } };
}

function usageOf({ promptTokens, chunks, choices }: DemoAnswer) {
  const completion = chunks.length * choices;
  return { prompt_tokens: promptTokens, completion_tokens: completion, total_tokens: promptTokens + completion };
}

function messageAnswer({ id }: Head, answer: DemoAnswer) {
  const { call, chunks, finish } = answer;
  const text = { type: 'text', text: chunks.join('') };
  const used = call && { ...messageCall(id, call.name), input: finish === 'length' ? {} : call.input };
  return {
    ...emptyMessage(id, answer),
    content: chunks.length === 0 ? [] : [used ?? text],
    stop_reason: STOP_REASONS[finish],
    usage: { input_tokens: answer.promptTokens, output_tokens: chunks.length },
  };
}

function* messageFrames({ id }: Head, answer: DemoAnswer): Generator<Frame> {
  const { call, chunks, finish } = answer;
  const frame = (event: { type: string } & Record<string, unknown>, paced = false): Frame => ({
    text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    paced,
  });
  const block = call ? messageCall(id, call.name) : { type: 'text', text: '' };
  yield frame({ type: 'message_start', message: emptyMessage(id, answer) });
  if (chunks.length > 0) {
    yield frame({ type: 'content_block_start', index: 0, content_block: block });
    for (const text of chunks) {
      const delta = call ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text };
      yield frame({ type: 'content_block_delta', index: 0, delta }, true);
    }
    yield frame({ type: 'content_block_stop', index: 0 });
  }
  yield frame({
    type: 'message_delta',
    delta: { stop_reason: STOP_REASONS[finish], stop_sequence: null },
    usage: { output_tokens: chunks.length },
  });
  yield frame({ type: 'message_stop' });
}

function messageCall(id: string, name: string) {
  return { type: 'tool_use', id: `toolu_${id}`, name, input: {} };
}

function emptyMessage(id: string, { promptTokens }: DemoAnswer) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: promptTokens, output_tokens: 0 },
  };
}
