// A gateway for tests of real clients: one model on each kind of channel, all of them on the one scripted upstream, which
// knows by the path what it is asked for. So a test reads the same whichever upstream answers.

import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { type Heard, hear, model, type Said } from './model/model.ts';
import { openaiChannel, UPSTREAM_KEY, upModel } from './test-document.ts';

export interface UpstreamKind {
  kind: string;
  /** The model's id, which is the channel's name too. */
  model: string;
}

export type Kinds = readonly [UpstreamKind, ...UpstreamKind[]];

const kind = (name: string): UpstreamKind => ({ kind: name, model: `on-${name}` });
const OPENAI = kind('openai');
const ANTHROPIC = kind('anthropic');

/** The kinds of upstream that serve each client's format. */
export const KINDS_FOR: Record<'chat' | 'messages', Kinds> = {
  chat: [OPENAI],
  messages: [ANTHROPIC],
};

export interface ClientGateway extends TestGateway {
  /** A managing key with trial credit. */
  key: string;
  /** From now on the model behind every channel answers so. */
  answer(decide: (heard: Heard) => Said): void;
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
      const base = String(standard.channels[1]?.base_url);
      const root = base.replace(/\/v1$/, '');
      return document({
        ...standard,
        channels: [
          ...standard.channels,
          openaiChannel(OPENAI.model, base),
          { name: ANTHROPIC.model, kind: 'anthropic', base_url: root, api_key: UPSTREAM_KEY },
        ],
        models: [
          ...standard.models,
          ...[OPENAI, ANTHROPIC].map(({ model: id }) => ({
            id,
            context_tokens: 1_000_000,
            max_output_tokens: 64_000,
            price: PRICE,
            routes: [{ channel: id, model: 'scripted-2026-01' }],
          })),
          upModel('dear', { price: { input: 100_000, output: 100_000 } }),
          // For `spendAll`.
          upModel('even', { price: { input: 1_000, output: 1_000 } }),
          upModel('vectors', { kinds: ['embeddings'], price: { input: 1 } }),
          upModel('paint', { kinds: ['images'], price: { image: 0.001 } }),
        ],
      });
    },
  });
  const { key } = await gateway.register();
  return Object.assign(gateway, {
    key,
    answer: (decide: (heard: Heard) => Said) => gateway.upstream.otherwise(model(decide)),
    heard: async (index: number) => hear(await gateway.upstream.request(index)),
  });
}
