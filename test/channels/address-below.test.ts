// Where calls go, whatever a base URL ends with.

import { expect, test } from 'bun:test';
import { type ChannelSettings, createUpstreams } from '../../src/channels/upstreams.ts';
import type { Endpoint } from '../../src/vendors/endpoints.ts';
import { quirksOf } from '../../src/vendors/quirks.ts';
import { createManualClock } from '../support/manual-clock.ts';

async function addressOf(
  channel: Pick<ChannelSettings, 'kind' | 'baseUrl'> & { anthropicBaseUrl?: string },
  endpoint: Endpoint,
  stream = false,
): Promise<string | undefined> {
  const seen: string[] = [];
  const { findUpstream } = createUpstreams({
    clock: createManualClock(),
    newId: () => 'req_1',
    fetch: async (url) => {
      seen.push(url);
      return new Response('{}', { headers: { 'content-type': 'application/json' } });
    },
    connect: undefined,
    gatewayId: 'gateway',
    demoPaceMs: 0,
    resolveSecret: (secret) => secret,
  });
  const upstream = findUpstream({
    name: 'up',
    anthropicBaseUrl: undefined,
    apiKey: 'fake-key',
    region: undefined,
    quirks: quirksOf(undefined),
    timeouts: { connectMs: 1_000 },
    ...channel,
  });
  const { signal } = new AbortController();
  await upstream.send({ endpoint, model: 'm', body: '{}', stream, headers: {}, signal });
  return seen[0];
}

test.each([
  ['http://up/v1', 'http://up/v1/chat/completions'],
  ['http://up/dep?api-version=1', 'http://up/dep/chat/completions?api-version=1'],
  ['http://up/dep/?api-version=1&b=c/', 'http://up/dep/chat/completions?api-version=1&b=c/'],
  ['http://up?a=b', 'http://up/chat/completions?a=b'],
  ['http://up/v1?', 'http://up/v1/chat/completions'],
  ['http://up/v1#part', 'http://up/v1/chat/completions'],
])('of the kind openai at %s', async (baseUrl, address) => {
  expect(await addressOf({ kind: 'openai', baseUrl }, 'chat')).toBe(address);
});

test.each([
  ['http://up', 'http://up/v1/messages'],
  ['http://up/v1', 'http://up/v1/messages'],
  ['http://up/v1/?a=/v1', 'http://up/v1/messages?a=/v1'],
  ['http://up?a=b', 'http://up/v1/messages?a=b'],
])('of messages at %s', async (address, expected) => {
  expect(await addressOf({ kind: 'anthropic', baseUrl: address }, 'messages')).toBe(expected);
  const both = { kind: 'openai', baseUrl: 'http://other/v1', anthropicBaseUrl: address } as const;
  expect(await addressOf(both, 'messages')).toBe(expected);
});

test('of the kind gemini, which has a query of its own', async () => {
  const channel = { kind: 'gemini', baseUrl: 'http://up/v1beta?a=b' } as const;
  expect(await addressOf(channel, 'gemini')).toBe('http://up/v1beta/models/m:generateContent?a=b');
  expect(await addressOf(channel, 'gemini', true)).toBe('http://up/v1beta/models/m:streamGenerateContent?alt=sse&a=b');
});
