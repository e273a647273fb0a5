// The demo's answer in the OpenAI chat format.

import type { DemoAnswer, DemoCall, Frame } from './demo-answer.ts';

interface Head {
  id: string;
  created: number;
}

const MODEL = 'demo';
const FINISH_REASONS = { stop: 'stop', length: 'length', call: 'tool_calls' };

export function chatAnswer({ id, created }: Head, answer: DemoAnswer) {
  const { call, chunks, finish } = answer;
  const text = chunks.join('');
  const choices = Array.from({ length: answer.choices }, (_, index) => ({
    index,
    message: {
      role: 'assistant',
      content: call ? null : text,
      refusal: null,
      ...(call ? { tool_calls: [callOf(call, `call_${id}${index}`, text)] } : {}),
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

export function* chatFrames({ id, created }: Head, answer: DemoAnswer): Generator<Frame> {
  const { call, chunks, finish } = answer;
  const chunk = (choices: unknown[], usage: unknown = null) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created, model: MODEL, choices, usage })}\n\n`;
  for (let index = 0; index < answer.choices; index++) {
    const choice = (delta: unknown, finishReason: string | null = null) =>
      chunk([{ index, delta, logprobs: null, finish_reason: finishReason }]);
    const begun = call && { index: 0, ...callOf(call, `call_${id}${index}`, '') };
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

function callOf(call: DemoCall, id: string, text: string) {
  const { name } = call;
  return typeof call.input === 'string'
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
