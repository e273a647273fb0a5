// A stream carried from an upstream to a client of another dialect without a gateway around it: the readers and writers
// are the real ones, the money is not.

import { anthropicMessages } from '../../src/dialects/anthropic-messages/dialect.ts';
import { carry } from '../../src/dialects/carry.ts';
import type { Dialect, ReportedUsage, StreamEvent } from '../../src/dialects/dialect.ts';
import { gemini } from '../../src/dialects/gemini/dialect.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../src/dialects/openai-responses/dialect.ts';
import { type SseEvent, SseReader } from '../../src/dialects/stream/sse.ts';
import { readJsonObject } from '../../src/kit/json/json.ts';
import { NO_BUCKETS } from '../../src/store/rows.ts';
import { quirksOf } from '../../src/vendors/quirks.ts';
import { CLIENTS, type ClientName, UPSTREAMS, type UpstreamName } from './sides.ts';

const DIALECTS: Record<ClientName, Dialect> = {
  chat: openaiChat,
  messages: anthropicMessages,
  responses: openaiResponses,
  gemini,
};
const ENDPOINTS = {
  openai: 'chat',
  anthropic: 'messages',
  gemini: 'gemini',
  'openai-responses': 'responses',
} as const;
const NO_USAGE: ReportedUsage = { buckets: NO_BUCKETS, reasoning: 0 };

export interface CarriedStream {
  /** What the client is sent. */
  text: string;
  isFinished: boolean;
}

export function carryStream(client: ClientName, upstream: UpstreamName, events: readonly unknown[]): CarriedStream {
  const dialect = DIALECTS[client];
  const request = dialect.request.read(
    readJsonObject(JSON.stringify({ ...CLIENTS[client].body({ stream: true }), model: 'a-model' })),
  );
  const carrier = carry(
    dialect,
    request,
    {
      channel: { quirks: quirksOf(undefined) },
      endpoints: [ENDPOINTS[upstream]],
      model: UPSTREAMS[upstream].model,
      prefill: false,
    },
    {
      requestId: 'req_01m7exzk7vpbajzhy88cbnm7wa',
      createdAt: 1_790_000_000,
      hashUser: (id) => `hash-of-${id.length}`,
      isFree: false,
    },
  );
  const reader = carrier.createStreamReader();
  const writer = dialect.stream.createWriter(request, { keepText: false });
  let text = '';
  let isOver = false;

  function take(read: readonly StreamEvent[]): void {
    for (const event of read) {
      if (isOver) return;
      isOver = event.kind === 'done' || event.kind === 'broken';
      if (!isOver) text += writer.write(event);
    }
  }

  for (const event of sseEvents(upstream, events)) if (!isOver && event.data !== undefined) take(reader.read(event));
  if (!isOver) take(reader.end?.() ?? []);
  const isFinished = reader.facts().finished;
  if (isFinished) text += writer.end({ usage: NO_USAGE, cost: 0n, isOurs: true });
  return { text, isFinished };
}

function sseEvents(upstream: UpstreamName, events: readonly unknown[]): SseEvent[] {
  const bytes = new TextEncoder().encode(events.map(UPSTREAMS[upstream].frame).join(''));
  return new SseReader().push(bytes);
}
