// The memory of a body is given back as soon as it was sent: every channel must have handed it on by then.
import { expect, test } from 'bun:test';
import { type ChannelSettings, createUpstreams } from '../../src/channels/upstreams.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { quirksOf } from '../../src/kit/quirks.ts';

const settings = (kind: ChannelSettings['kind']): ChannelSettings => ({
  name: kind,
  kind,
  baseUrl: 'http://127.0.0.1:1/v1',
  anthropicBaseUrl: undefined,
  apiKey: 'unused',
  quirks: quirksOf(undefined),
  timeouts: { connectMs: 1_000 },
});

test.each([
  ['openai', 'chat'],
  ['openai', 'responses'],
  ['openai', 'embeddings'],
  ['openai', 'images'],
  ['anthropic', 'messages'],
  ['gemini', 'gemini'],
] as const)('%s, asked for %s, hands it on before it answers with a promise', async (kind, endpoint) => {
  const taken: number[] = [];
  const { findUpstream } = createUpstreams({
    clock: systemClock,
    newId: () => 'req_1',
    async fetch(_, { body }) {
      taken.push(body instanceof Uint8Array ? body.byteLength : -1);
      return new Response('{}');
    },
    // As before anything was heard of a channel: a bare connection is made beside the call.
    connect: async () => true,
    gatewayId: 'gateway',
    demoPaceMs: 0,
    resolveSecret: (secret) => secret,
  });
  const body = new TextEncoder().encode('{"model":"one","messages":[]}');
  const { length } = body;
  const sent = findUpstream(settings(kind)).send({
    endpoint,
    model: 'one',
    body,
    stream: false,
    headers: {},
    signal: new AbortController().signal,
  });
  expect(taken).toEqual([length]);
  await sent;
});
