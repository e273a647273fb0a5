// The demo channel: an upstream inside the process that speaks the OpenAI chat format at a human pace and reports usage.

import { type Clock, sleep } from '../../kit/clock.ts';
import type { NewId } from '../../kit/ids.ts';
import type { Upstream } from '../upstream.ts';
import { type DemoAnswer, demoAnswer } from './demo-answer.ts';

export interface DemoSettings {
  clock: Clock;
  newId: NewId;
  /** Between two pieces of a stream. */
  paceMs: number;
}

const MODEL = 'demo';

export function createDemoUpstream(settings: DemoSettings): Upstream {
  return {
    limitField: 'max_tokens',
    hidden: [],
    async send({ body, stream, signal }) {
      const answer = demoAnswer(body);
      const head = {
        id: `chatcmpl-${settings.newId('req').slice(4)}`,
        created: Math.floor(settings.clock.now() / 1000),
        model: MODEL,
      };
      if (!stream) return Response.json(wholeAnswer(head, answer));
      const chunks = streamChunks(head, answer);
      const encoder = new TextEncoder();
      return new Response(
        new ReadableStream({
          async pull(controller) {
            const next = chunks.next();
            if (next.done) return controller.close();
            if (next.value.paced && settings.paceMs > 0) await sleep(settings.clock, settings.paceMs, signal);
            controller.enqueue(encoder.encode(`data: ${next.value.data}\n\n`));
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    },
  };
}

interface Head {
  id: string;
  created: number;
  model: string;
}

function usageOf({ promptTokens, pieces, choices }: DemoAnswer) {
  const completion = pieces.length * choices;
  return { prompt_tokens: promptTokens, completion_tokens: completion, total_tokens: promptTokens + completion };
}

function wholeAnswer(head: Head, answer: DemoAnswer) {
  const choices = Array.from({ length: answer.choices }, (_, index) => ({
    index,
    message: { role: 'assistant', content: answer.pieces.join(''), refusal: null },
    logprobs: null,
    finish_reason: answer.finish,
  }));
  return { ...head, object: 'chat.completion', choices, usage: usageOf(answer) };
}

function* streamChunks(head: Head, answer: DemoAnswer): Generator<{ data: string; paced: boolean }> {
  const chunk = (choices: unknown[], usage: unknown = null) =>
    JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, usage });
  for (let index = 0; index < answer.choices; index++) {
    const choice = (delta: unknown, finish: string | null = null) =>
      chunk([{ index, delta, logprobs: null, finish_reason: finish }]);
    yield { data: choice({ role: 'assistant', content: '' }), paced: false };
    for (const content of answer.pieces) yield { data: choice({ content }), paced: true };
    yield { data: choice({}, answer.finish), paced: false };
  }
  yield { data: chunk([], usageOf(answer)), paced: false };
  yield { data: '[DONE]', paced: false };
}
