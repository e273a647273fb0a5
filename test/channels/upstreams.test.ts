// A channel's key is looked up once, and again after the upstream refused it; a flood of refusals changes nothing of that.

import { expect, test } from 'bun:test';
import { type ChannelSettings, createUpstreams } from '../../src/channels/upstreams.ts';
import { quirksOf } from '../../src/vendors/quirks.ts';
import { createManualClock } from '../support/manual-clock.ts';

const CHANNEL: ChannelSettings = {
  name: 'up',
  kind: 'openai',
  baseUrl: 'http://127.0.0.1:9/v1',
  anthropicBaseUrl: undefined,
  apiKey: 'file:/run/secrets/up',
  region: undefined,
  quirks: quirksOf(undefined),
  timeouts: { connectMs: 1_000 },
};

function setUp() {
  const clock = createManualClock();
  let lookups = 0;
  const { findUpstream, invalidateKey } = createUpstreams({
    clock,
    newId: () => 'req_1',
    fetch: async () => new Response('{}'),
    connect: undefined,
    gatewayId: 'gateway',
    demoPaceMs: 0,
    resolveSecret: () => `fake-key-${++lookups}`,
  });
  return { clock, doubt: () => invalidateKey(CHANNEL), keys: () => findUpstream(CHANNEL).hidden };
}

test('a key that is taken is looked up once', async () => {
  const { clock, keys } = setUp();
  expect(keys()).toContain('fake-key-1');
  await clock.advance(3_600_000);
  expect(keys()).toContain('fake-key-1');
});

test('one that was refused is looked up again by the next call', async () => {
  const { clock, keys, doubt } = setUp();
  keys();
  await clock.advance(60_000);
  doubt();
  expect(keys()).toContain('fake-key-2');
  await clock.advance(60_000);
  expect(keys()).toContain('fake-key-2');
});

test('but not twice within a second, however often it is refused', async () => {
  const { clock, keys, doubt } = setUp();
  const refuse = () => {
    const used = keys();
    doubt();
    return used;
  };
  for (let n = 0; n < 100; n++) expect(refuse()).toContain('fake-key-1');
  await clock.advance(999);
  expect(refuse()).toContain('fake-key-1');
  await clock.advance(1);
  for (let n = 0; n < 100; n++) expect(refuse()).toContain('fake-key-2');
  // The refusal is not forgotten: as soon as it may be, the key is looked up.
  await clock.advance(1_000);
  expect(keys()).toContain('fake-key-3');
});
