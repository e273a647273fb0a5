// Which of a model's routes serves: the lowest priority, within it by weight, a conversation always the same one; and how
// many tries a call has when none does.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemRandom } from '../../src/kit/random.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import { openaiChannel, type TestDocument, upModel, upstreamUrl } from '../support/test-document.ts';

const PRICE = { input: 10, output: 40 };
/** What the gateway draws next. */
let fraction = 0;
let gateway: TestGateway;
let account: TestAccount;

function document(standard: TestDocument): TestDocument {
  const url = upstreamUrl(standard);
  const names = ['light', 'heavy', 'last', ...'abcdefghi'];
  const routes = (channels: string) =>
    [...channels].map((channel, n) => ({ channel, model: channel, priority: n + 1 }));
  return {
    ...standard,
    channels: [...standard.channels, ...names.map((name) => openaiChannel(name, url))],
    models: [
      ...standard.models,
      upModel('weighted', {
        price: PRICE,
        routes: [
          { channel: 'light', model: 'light', weight: 1 },
          { channel: 'heavy', model: 'heavy', weight: 3 },
          { channel: 'last', model: 'last', weight: 1_000, priority: 2 },
        ],
      }),
      upModel('main', { price: PRICE, routes: routes('abc'), fallbacks: ['spare', 'spare-of-spare'] }),
      upModel('spare', { price: PRICE, routes: routes('def') }),
      upModel('spare-of-spare', { price: PRICE, routes: routes('ghi') }),
      upModel('four', { price: PRICE, routes: routes('abcd') }),
    ],
  };
}

beforeAll(async () => {
  gateway = await startTestGateway({
    random: { ...systemRandom, fraction: () => fraction },
    limits: { paid_per_minute: 10_000, in_flight: 500 },
    document,
  });
});
beforeEach(async () => {
  fraction = 0;
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

async function channelOf(fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const response = await gateway.chat(account.key, { model: 'weighted', max_tokens: 5, ...fields }, { headers });
  await response.text();
  return response.headers.get('x-svc-channel') ?? '';
}

/** How often each channel served, of calls that draw numbers from all over the range. */
async function count(calls: number, ask: (index: number) => Promise<string>): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (let index = 0; index < calls; index++) {
    fraction = (index + 0.5) / calls;
    const channel = await ask(index);
    counted[channel] = (counted[channel] ?? 0) + 1;
  }
  return counted;
}

describe('within one priority', () => {
  test('calls are shared by weight', async () => {
    expect(await count(40, () => channelOf())).toEqual({ light: 10, heavy: 30 });
  });

  const NAMED: [where: string, fields: Record<string, unknown>, headers: Record<string, string>][] = [
    ['x-session-id', {}, { 'x-session-id': 'NAME' }],
    ['x-session-affinity', {}, { 'x-session-affinity': 'NAME' }],
    ['session-id', {}, { 'session-id': 'NAME' }],
    ['x-claude-code-session-id', {}, { 'x-claude-code-session-id': 'NAME' }],
    ['prompt_cache_key', { prompt_cache_key: 'NAME' }, {}],
    ['metadata.user_id', { metadata: { user_id: 'NAME' } }, {}],
  ];
  test.each(NAMED)('a conversation that is named by %s keeps to one channel', async (_, fields, headers) => {
    const named = (name: string) =>
      JSON.parse(JSON.stringify([fields, headers]).replace('NAME', name)) as [typeof fields, typeof headers];
    const kept: string[] = [];
    for (let session = 0; session < 12; session++) {
      const channels = await count(4, () => channelOf(...named(`session-${session}`)));
      expect(Object.values(channels)).toEqual([4]);
      kept.push(...Object.keys(channels));
    }
    expect(new Set(kept)).toEqual(new Set(['light', 'heavy']));
  });

  test('conversations are shared by weight, too', async () => {
    const counted = await count(400, (index) => channelOf({}, { 'x-session-id': `conversation ${index}` }));
    expect(Object.keys(counted).toSorted()).toEqual(['heavy', 'light']);
    expect(counted.light).toBeWithin(75, 126);
  });

  test('a conversation whose channel fails goes on at the other, and comes back to its own', async () => {
    const headers = { 'x-session-id': 'one' };
    const own = await channelOf({}, headers);
    const other = own === 'light' ? 'heavy' : 'light';
    gateway.upstream.otherwise(({ json }) => (json.model === own ? errorScript(429, { message: 'x' }) : chatAnswer()));
    expect(await count(4, () => channelOf({}, headers))).toEqual({ [other]: 4 });
    gateway.upstream.otherwise(chatAnswer());
    expect(await count(4, () => channelOf({}, headers))).toEqual({ [own]: 4 });
  });
});

describe('tries', () => {
  const asked = () => gateway.upstream.requests.map(({ json }) => json.model).join('');
  const told = async ({ headers }: Response) => {
    const { attempts } = await gateway.get(`/api/receipts/${headers.get('x-request-id')}`, account.key);
    return attempts.map(({ channel }: { channel: string }) => channel).join('');
  };

  test.each([
    ['four', 404, 'abc'],
    ['main', 404, 'abcdef'],
    ['main', 500, 'abcdef'],
  ])('%s, status %p: three on one model and six in all', async (model, status, channels) => {
    gateway.upstream.otherwise(errorScript(status, { message: 'x' }));
    const response = await gateway.chat(account.key, { model, max_tokens: 5 });
    expect(response.status).toBe(502);
    expect(asked()).toBe(channels);
    expect(await told(response)).toBe(channels);
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  });
});
