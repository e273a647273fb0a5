// A gateway for tests of real clients: one model on each kind of channel, all of them on the one scripted upstream, which
// knows by the path what it is asked for. So a test reads the same whichever upstream answers.

import { createGate } from './eventually.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { type Heard, hear, model, type Said } from './model/model.ts';
import { OTHER_KINDS } from './other-answers.ts';
import { breakAfter, type Script } from './script.ts';
import { openaiChannel, UPSTREAM_KEY, upModel, upstreamUrl } from './test-document.ts';
import type { SeenRequest } from './upstream.ts';

export interface UpstreamKind {
  kind: string;
  /** The model's id, which is the channel's name too. */
  model: string;
}

export type Kinds = readonly [UpstreamKind, ...UpstreamKind[]];

const kind = (name: string): UpstreamKind => ({ kind: name, model: `on-${name}` });
const OPENAI = kind('openai');
const CHAT_ONLY = kind('openai-without-responses');
const ANTHROPIC = kind('anthropic');
const GEMINI = kind('gemini');

/** The kinds of upstream behind each client's format; the first of them speaks it. */
export const KINDS_FOR: Record<'chat' | 'messages' | 'responses' | 'gemini', Kinds> = {
  chat: [OPENAI, ANTHROPIC, GEMINI],
  messages: [ANTHROPIC, OPENAI, GEMINI],
  responses: [OPENAI, CHAT_ONLY, ANTHROPIC, GEMINI],
  gemini: [GEMINI, OPENAI, CHAT_ONLY, ANTHROPIC],
};

export interface ClientGateway extends TestGateway {
  /** A managing key with trial credit. */
  key: string;
  /** From now on the model behind every channel answers so. */
  answer(decide: (heard: Heard) => Said): void;
  /**
   * From now on the first stream ends after its first word, and every further request fails. It breaks off when the result
   * is called, by whoever has read that word: read together with the end, the word would be lost.
   */
  breakOff(): () => void;
  /** From now on the first stream says nothing after its first word, and every further request fails. */
  stall(): void;
  /** What the model heard in the request at this position. */
  heard(index: number): Promise<Heard>;
}

/** Costs nothing worth mentioning, so that a trial credit lasts for a whole file. */
const PRICE = { input: 1, output: 1 };

export async function startClientGateway(options: TestGatewayOptions = {}): Promise<ClientGateway> {
  const { document = (standard) => standard, ...rest } = options;
  const gateway = await startTestGateway({
    limits: { free_per_minute: 1_000 },
    ...rest,
    document: (standard) => {
      const base = upstreamUrl(standard);
      const root = base.replace(/\/v1$/, '');
      return document({
        ...standard,
        channels: [
          ...standard.channels,
          openaiChannel(OPENAI.model, base),
          openaiChannel(CHAT_ONLY.model, base, { endpoints: ['chat'] }),
          { name: ANTHROPIC.model, kind: 'anthropic', base_url: root, api_key: UPSTREAM_KEY },
          { name: GEMINI.model, kind: 'gemini', base_url: `${root}/v1beta`, api_key: UPSTREAM_KEY },
        ],
        models: [
          ...standard.models,
          ...[OPENAI, CHAT_ONLY, ANTHROPIC, GEMINI].map(({ model: id }) => ({
            id,
            context_tokens: 1_000_000,
            max_output_tokens: 64_000,
            price: PRICE,
            routes: [{ channel: id, model: 'scripted-2026-01' }],
          })),
          {
            id: 'dear',
            max_output_tokens: 1_000,
            price: { input: 100_000, output: 100_000 },
            routes: [OPENAI, ANTHROPIC].map(({ model: channel }) => ({ channel, model: 'scripted-2026-01' })),
          },
          // For `spendAll`.
          upModel('even', { price: { input: 1_000, output: 1_000 } }),
          upModel('vectors', { kinds: ['embeddings'], price: { input: 1 } }),
          ...Object.entries(OTHER_KINDS).map(([kind, fields]) => upModel(kind, fields)),
          upModel('paint', { kinds: ['images'], price: { image: 0.001 } }),
          upModel('hear', { kinds: ['transcription'], price: { second: 0.001 } }),
          upModel('paint-dear', { kinds: ['images'], price: { image: 1 } }),
        ],
      });
    },
  });
  const { key } = await gateway.register();
  return Object.assign(gateway, {
    key,
    answer: (decide: (heard: Heard) => Said) => gateway.upstream.otherwise(model(decide)),
    breakOff: () => {
      const gate = createGate();
      gateway.upstream.otherwise(brokenModel(gate.opened));
      return gate.open;
    },
    stall: () => gateway.upstream.otherwise(brokenModel(new Promise(() => {}))),
    heard: async (index: number) => hear(await gateway.upstream.request(index)),
  });
}

function brokenModel(end: Promise<void>): (request: SeenRequest) => Script {
  let isFirst = true;
  return (request) => {
    if (!isFirst) return { status: 500 };
    isFirst = false;
    const script = model(() => ({ pieces: ['Hello', ' there'] }))(request);
    const parts = (script.body ?? []).filter((part) => typeof part === 'string');
    return breakAfter(script, parts.findIndex((part) => part.includes('"Hello"')) + 1, end);
  };
}
