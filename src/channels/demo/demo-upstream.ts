// The demo channel: an upstream inside the process that supports both formats, streams at reading speed and reports
// usage.

import { type Clock, sleep } from '../../kit/clock.ts';
import type { NewId } from '../../kit/ids.ts';
import type { Upstream } from '../upstream.ts';
import { demoAnswer } from './demo-answer.ts';
import { chatAnswer, chatFrames } from './demo-chat.ts';
import { messageAnswer, messageFrames } from './demo-messages.ts';

interface DemoSettings {
  clock: Clock;
  newId: NewId;
  /** Between two chunks of a stream. */
  paceMs: number;
}

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
