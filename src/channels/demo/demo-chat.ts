// The demo's answer in the OpenAI chat format.

import type { DemoAnswer, Frame } from './demo-answer.ts';

interface Head {
  id: string;
  created: number;
}

const MODEL = 'demo';

export function chatAnswer({ id, created }: Head, answer: DemoAnswer) {
  const choices = Array.from({ length: answer.choices }, (_, index) => ({
    index,
    message: { role: 'assistant', content: answer.chunks.join(''), refusal: null },
    logprobs: null,
    finish_reason: answer.finish,
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
  const chunk = (choices: unknown[], usage: unknown = null) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created, model: MODEL, choices, usage })}\n\n`;
  for (let index = 0; index < answer.choices; index++) {
    const choice = (delta: unknown, finish: string | null = null) =>
      chunk([{ index, delta, logprobs: null, finish_reason: finish }]);
    yield { text: choice({ role: 'assistant', content: '' }), paced: false };
    for (const content of answer.chunks) yield { text: choice({ content }), paced: true };
    yield { text: choice({}, answer.finish), paced: false };
  }
  yield { text: chunk([], usageOf(answer)), paced: false };
  yield { text: 'data: [DONE]\n\n', paced: false };
}

function usageOf({ promptTokens, chunks, choices }: DemoAnswer) {
  const completion = chunks.length * choices;
  return { prompt_tokens: promptTokens, completion_tokens: completion, total_tokens: promptTokens + completion };
}
