// What a document may not mean is in the log, once for each revision that is in force; so is what of the environment is
// seldom meant, once for each start.
import { afterEach, expect, test } from 'bun:test';
import { systemRandom } from '../../../src/kit/random.ts';
import { createSealer } from '../../../src/kit/sealed.ts';
import { adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import type { TestDocument } from '../../support/test-document.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

function keyed(key: string) {
  return ({ channels: [first, ...rest], ...document }: TestDocument): TestDocument => ({
    ...document,
    channels: [{ ...first, api_key: key }, ...rest],
  });
}
const withKey = keyed('env:ZZ_UP_KEY');

const warnings = () =>
  gateway.log
    .lines()
    .filter(({ event }) => event === 'config_warning')
    .map(({ level, revision, detail }) => ({ level, revision, detail }));

test('a reference that leads to nothing, at the start and when it is applied', async () => {
  gateway = await startTestGateway({ document: withKey });
  const detail = expect.stringContaining('channels[0].api_key: ZZ_UP_KEY is not set');
  expect(warnings()).toEqual([{ level: 'warn', revision: 1, detail }]);
  await gateway.apply(withKey);
  expect(warnings()).toEqual([1, 2].map((revision) => ({ level: 'warn', revision, detail })));
});

test('a file that cannot be read', async () => {
  gateway = await startTestGateway({ document: keyed('file:/nowhere/key') });
  expect(warnings()).toMatchObject([
    { detail: expect.stringContaining('cannot read /nowhere/key: it does not exist') },
  ]);
});

test('a key that looks like a reference, when it is applied', async () => {
  gateway = await startTestGateway({ document: keyed('$ZZ_UP_KEY') });
  expect(warnings()).toMatchObject([{ detail: expect.stringContaining('taken as the key itself') }]);
});

test('nothing of routes to a channel that is switched off', async () => {
  gateway = await startTestGateway({
    document: ({ channels, models: [first, ...rest], ...document }) => {
      const off = { name: 'off', kind: 'openai', base_url: 'https://off.example/v1', enabled: false };
      const routes = ['one', 'two'].map((model) => ({ channel: 'off', model }));
      return { ...document, channels: [...channels, off], models: [{ ...first, routes }, ...rest] };
    },
  });
  expect(warnings()).toEqual([]);
});

test('several routes of one model to one channel', async () => {
  gateway = await startTestGateway({
    document: ({ models: [first, ...rest], ...document }) => ({
      ...document,
      models: [
        { ...first, id: 'auto:free', routes: ['one', 'two'].map((model) => ({ channel: 'demo', model })) },
        ...rest,
      ],
    }),
  });
  expect(warnings()).toMatchObject([{ detail: expect.stringContaining('auto:free has several routes to demo') }]);
});

test('a paid chat model without its context, unless nobody bills for it', async () => {
  const price = { input: 1, output: 1 };
  gateway = await startTestGateway({
    document: (document) => ({
      ...document,
      models: [
        { id: 'short', price, routes: ['demo', 'up'].map((channel) => ({ channel, model: 'm' })) },
        { id: 'demo-dear', price, routes: [{ channel: 'demo', model: 'demo' }] },
        { id: 'no-price', price: 'free', routes: [{ channel: 'up', model: 'm' }] },
        ...document.models,
      ],
    }),
  });
  const detail = expect.stringMatching(
    /^models\[0\]\.context_tokens: short says no context_tokens, .* charged in full$/,
  );
  expect(warnings()).toEqual([{ level: 'warn', revision: 1, detail }]);
});

test('many paid chat models without their context, in one line', async () => {
  const routes = [{ channel: 'up', model: 'm' }];
  const many = Array.from({ length: 7 }, (_, index) => ({ id: `m${index}`, price: { input: 1, output: 1 }, routes }));
  gateway = await startTestGateway({
    document: (document) => ({ ...document, models: [...document.models, ...many] }),
  });
  const detail = expect.stringMatching(/^models: m0, m1, m2, m3, m4 and 2 more say no context_tokens, /);
  expect(warnings()).toEqual([{ level: 'warn', revision: 1, detail }]);
});

test('a secret in an address that was stored before, which stops no other edit', async () => {
  gateway = await startTestGateway();
  const { store } = gateway.gateway;
  const stored = (await store.read.newestRevision())?.document.replaceAll('http://127', 'http://a:b@127') ?? '';
  const log = { at: 0, actor: 'cli', action: 'config.apply', subject: 'catalog', detail: {} };
  await store.commit('revise', { document: stored, source: 'operator', sourceHash: '', at: 0, log });
  const off = await adminApiOf(gateway)('POST', '/channels/demo/disable', { force: true });
  expect([off.status, off.body.error]).toEqual([200, undefined]);
  const detail = expect.stringMatching(/^channels\[1\]\.base_url: has user info /);
  expect(warnings().at(-1)).toEqual({ level: 'warn', revision: 3, detail });
});

test.each([
  ['ключ', 'ZZ_UP_KEY holds characters that no header can carry'],
  ['sk-svc-fake', 'ZZ_UP_KEY holds a key of this service'],
])('a variable that holds %s', async (ZZ_UP_KEY, problem) => {
  gateway = await startTestGateway({ document: withKey, env: { ZZ_UP_KEY } });
  const detail = `channels[0].api_key: ${problem}: the upstream would be called without a key`;
  expect(warnings()).toEqual([{ level: 'warn', revision: 1, detail }]);
});

/** Takes `key` up as an older version has stored it for the channel `up`. */
async function storeKey(key: string): Promise<void> {
  const { store } = gateway.gateway;
  const { channels, ...rest } = JSON.parse((await store.read.newestRevision())?.document ?? '') as TestDocument;
  const keyedChannels = channels.map((channel) => (channel.name === 'up' ? { ...channel, api_key: key } : channel));
  const document = JSON.stringify({ ...rest, channels: keyedChannels });
  const log = { at: 0, actor: 'cli', action: 'config.apply', subject: 'catalog', detail: {} };
  await store.commit('revise', { document, source: 'operator', sourceHash: '', at: 0, log });
  await adminApiOf(gateway)('POST', '/channels/demo/disable', { force: true });
}

test('a stored key that no header can carry: the upstream is asked without it', async () => {
  const pepper = 'a-pepper-for-this-test-only';
  gateway = await startTestGateway({ env: { SECRETS_PEPPER: pepper } });
  await storeKey(createSealer(pepper, systemRandom).seal('a\nb', 'up'));
  expect(warnings().at(-1)?.detail).toBe(
    'channels[1].api_key: the stored key holds characters that no header can carry: the upstream would be called without a key',
  );
  gateway.upstream.next(chatAnswer());
  const { key } = await gateway.register();
  expect((await gateway.chat(key, { model: 'up-paid', max_tokens: 10 })).status).toBe(200);
  expect(gateway.upstream.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test.each([
  ['env:', 'env: names no variable'],
  ['file:', 'file: names no file'],
])('a stored reference %s without a name', async (key, problem) => {
  gateway = await startTestGateway();
  await storeKey(key);
  expect(warnings().at(-1)?.detail).toBe(`channels[1].api_key: ${problem}: the upstream would be called without a key`);
});

test('nothing, if the variable is set', async () => {
  gateway = await startTestGateway({ document: withKey, env: { ZZ_UP_KEY: 'fake' } });
  expect(warnings()).toEqual([]);
});

test('a public address without TLS, over which cookies travel unprotected', async () => {
  gateway = await startTestGateway({ env: { PUBLIC_URL: 'http://gateway.example:8080' } });
  const detail = expect.stringMatching(/^PUBLIC_URL is http:\/\/gateway\.example:8080, without TLS: .*cookies/);
  expect(warnings()).toEqual([{ level: 'warn', revision: undefined, detail }]);
});

test.each(['https://gateway.example', 'http://localhost:8080', 'http://127.0.0.2', 'http://[::1]:8080'])(
  'nothing, where the public address is %s',
  async (PUBLIC_URL) => {
    gateway = await startTestGateway({ env: { PUBLIC_URL } });
    expect(warnings()).toEqual([]);
  },
);
