// A channel that fails before its first word: another takes over unseen, or the client gets the one right fault, with
// nothing in it of the upstream.

import { describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import {
  type Failure,
  STATUS_FAILURES,
  STREAM_FAILURES,
  UPSTREAM_SECRETS,
  WHOLE_FAILURES,
} from '../support/failures.ts';
import { freePort } from '../support/free-port.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import type { Script } from '../support/script.ts';
import { readSse, textOf } from '../support/sse.ts';
import { UPSTREAM_KEY } from '../support/test-document.ts';
import { type ChannelSet, twoChannels, useTwoChannels } from '../support/two-channels.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;

useTwoChannels((inUse) => {
  ({ first, second, gateway, account, set } = inUse);
});

const SECRETS = () => [...Object.values(UPSTREAM_SECRETS), UPSTREAM_KEY, `127.0.0.1:${first.port}`, 'scripted-2026-01'];

function expectNoSecret(text: string): void {
  for (const secret of SECRETS()) expect(text).not.toContain(secret);
}

async function expectNothingCharged(): Promise<void> {
  expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  expect(gateway.audit()).toEqual([]);
}

const KINDS: [kind: string, body: { stream: boolean }, success: () => Script, failures: Failure[]][] = [
  ['whole', { stream: false }, chatAnswer, [...STATUS_FAILURES, ...WHOLE_FAILURES]],
  ['streamed', { stream: true }, chatStream, [...STATUS_FAILURES, ...STREAM_FAILURES]],
];

describe.each(KINDS)('%s', (_, body, success, failures) => {
  test.each(failures)('%s: the next channel serves, and only it is billed', async (_what, failure) => {
    first.otherwise(failure);
    second.next(success());
    const response = await gateway.chat(account.key, { model: set.both, ...body });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe(set.second);
    const text = await response.text();
    expect(text).toContain('Hello');
    expectNoSecret(text.replaceAll('scripted-2026-01', ''));
    expect(first.requests.length).toBeGreaterThanOrEqual(1);
    expect(second.requests).toHaveLength(1);

    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      channel: set.second,
      status: 'ok',
      cost_nano: (11 * 10_000 + 7 * 40_000).toString(),
    });
    expect(gateway.audit()).toEqual([]);
    expectNoSecret(gateway.log.text());
  });

  test.each(failures)('%s on the only channel: a fault without internal detail', async (what, failure) => {
    first.otherwise(failure);
    const response = await gateway.chat(account.key, { model: set.alone, ...body });
    const isLimited = what.startsWith('429');
    expect(response.status).toBe(isLimited ? 503 : 502);
    expect(response.headers.get('content-type')).toStartWith('application/json');
    const wait = Number(response.headers.get('retry-after'));
    expect(wait).toBeWithin(1, 56);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      error: { code: isLimited ? 'unavailable' : 'upstream_failed', type: 'server_error' },
    });
    expectNoSecret(text + JSON.stringify([...response.headers]));
    expectNoSecret(gateway.log.text());

    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ channel: null, cost_nano: '0', output_tokens: 0 });
    await expectNothingCharged();
  });

  test.each(failures)('%s gives the free slot back', async (_what, failure) => {
    first.otherwise(failure);
    for (let i = 0; i < 2; i++) {
      const { status } = await gateway.chat(account.key, { model: set.aloneFree, ...body });
      expect(status).toBeWithin(502, 504);
    }
    expect((await gateway.get('/api/me', account.key)).free).toMatchObject({ minute: { used: 0 }, day: { used: 0 } });
  });
});

describe('alarms', () => {
  test.each([401, 402])('%d is one, because our key is refused', async (status) => {
    first.otherwise({ status, body: [] });
    const response = await gateway.chat(account.key, { model: set.alone });
    const id = response.headers.get('x-request-id');
    const raised = gateway.log.alarms('upstream_refused_our_key').filter(({ request_id }) => request_id === id);
    expect(raised).toHaveLength(1);
    expect(raised[0]).toMatchObject({ channel: set.first, model: set.alone });
  });

  const unverified = (what: string, param: string) => {
    const message = `Your organization must be verified to ${what}. Please go to: https://platform.example/settings.`;
    return { message, type: 'invalid_request_error', param, code: 'unsupported_value' };
  };
  const noCredit = { message: 'You exceeded your current quota.', type: 'insufficient_quota', param: null };
  test.each<[status: number, error: Record<string, unknown>]>([
    [429, { ...noCredit, code: 'insufficient_quota' }],
    [429, { ...noCredit, code: null }],
    [400, unverified('stream this model', 'stream')],
    [400, unverified('generate reasoning summaries', 'reasoning.summary')],
  ])('%d is one where it speaks of our account, and the next channel serves: %j', async (status, error) => {
    first.next(errorScript(status, error));
    second.next(chatAnswer());
    const response = await gateway.chat(account.key, { model: set.both });
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, set.second]);
    const id = response.headers.get('x-request-id');
    const { attempts } = await gateway.get(`/api/receipts/${id}`, account.key);
    expect(attempts).toMatchObject([{ outcome: 'exhausted' }, { outcome: 'ok' }]);
    const raised = gateway.log.alarms('upstream_refused_our_key').filter(({ request_id }) => request_id === id);
    expect(raised).toMatchObject([{ channel: set.first, model: set.both }]);
  });

  test('429 is none where it names a wait, whatever it says of our quota', async () => {
    const script = errorScript(429, { ...noCredit, code: 'insufficient_quota' });
    first.next({ ...script, headers: { ...script.headers, 'retry-after': '20' } });
    second.next(chatAnswer());
    const response = await gateway.chat(account.key, { model: set.both });
    const id = response.headers.get('x-request-id');
    const { attempts } = await gateway.get(`/api/receipts/${id}`, account.key);
    expect(attempts).toMatchObject([{ outcome: 'rate_limited' }, { outcome: 'ok' }]);
    expect(gateway.log.alarms('upstream_refused_our_key').filter(({ request_id }) => request_id === id)).toEqual([]);
  });

  test('404 is one, because the route leads nowhere', async () => {
    first.otherwise({ status: 404, body: [] });
    const response = await gateway.chat(account.key, { model: set.alone });
    const id = response.headers.get('x-request-id');
    expect(gateway.log.alarms('upstream_route_missing').filter(({ request_id }) => request_id === id)).toHaveLength(1);
  });

  test('500 is none', async () => {
    const before = gateway.log.lines().filter(({ level }) => level === 'alarm').length;
    first.otherwise({ status: 500, body: [] });
    await gateway.chat(account.key, { model: set.alone });
    expect(gateway.log.lines().filter(({ level }) => level === 'alarm')).toHaveLength(before);
  });
});

test('when every channel is rate limited the wait is the smallest of theirs', async () => {
  first.otherwise({ status: 429, headers: { 'retry-after': '40' }, body: [] });
  second.otherwise({ status: 429, headers: { 'retry-after': '20' }, body: [] });
  const response = await gateway.chat(account.key, { model: set.both });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('20');
  const { error } = (await response.json()) as Answer;
  expect(error.code).toBe('unavailable');
  expect(error.message).toContain('choose another model');
});

test.each([
  ['soon', 30_000, 30],
  ['past', -30_000, 1],
])('a Retry-After that is a date: %s', async (_, ms, seconds) => {
  // A gateway of its own: the tests before may have used up what a service may repeat.
  const channels = twoChannels(second.baseUrl);
  const other = await startTestGateway({ document: channels.document });
  const { key } = await other.register();
  const date = new Date(Date.now() + ms).toUTCString();
  other.upstream.otherwise({ status: 429, headers: { 'retry-after': date }, body: [] });
  const response = await other.chat(key, { model: channels.take().alone });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeWithin(seconds - 15, seconds + 1);
  // A date that is past is a wait of nothing: then it is asked again.
  expect(other.upstream.requests).toHaveLength(ms < 0 ? 2 : 1);
  await other.stop();
});

test.each(['999999', '1000000', '99999999999999999999.5', 'Fri, 01 Jan 2100 00:00:00 GMT'])(
  'a wait past every bound (%s) is told as our longest',
  async (wait) => {
    first.otherwise({ status: 429, headers: { 'retry-after': wait }, body: [] });
    const response = await gateway.chat(account.key, { model: set.alone });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '55']);
  },
);

test('a redirect is not followed: our key goes nowhere it was not meant for', async () => {
  first.otherwise({ status: 307, headers: { location: `${second.baseUrl}/chat/completions` }, body: [] });
  second.otherwise(chatAnswer());
  expect((await gateway.chat(account.key, { model: set.alone })).status).toBe(502);
  expect(second.requests).toEqual([]);
});

test('a rate limit beside another failure is a failure', async () => {
  first.otherwise({ status: 429, headers: { 'retry-after': '40' }, body: [] });
  second.otherwise({ status: 500, body: [] });
  expect((await gateway.chat(account.key, { model: set.both })).status).toBe(502);
});

test('an upstream that is not there is a failure like any other', async () => {
  const toNobody = twoChannels(`http://127.0.0.1:${await freePort()}/v1`);
  const other = await startTestGateway({ document: toNobody.document });
  const { key } = await other.register();
  other.upstream.otherwise({ cut: { after: 'head', by: 'rst' } });
  expect((await other.chat(key, { model: toNobody.take().both })).status).toBe(502);
  expect(await other.get('/api/me', key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  await other.stop();
});

test('calls that a limit refuses allow no further retries', async () => {
  const channels = twoChannels(second.baseUrl);
  const { aloneFree } = channels.take();
  const other = await startTestGateway({ document: channels.document, limits: { free_per_minute: 0 } });
  const { key } = await other.register();
  other.upstream.otherwise({ status: 500, body: [] });
  const ask = () => untilHeard(() => other.chat(key, { model: aloneFree }));
  const refused = await Promise.all(Array.from({ length: 150 }, ask));
  expect(refused.map(({ status }) => status)).toEqual(Array(150).fill(429));
  for (let n = 0; n < 3; n++) {
    const askAlone = () => other.chat(key, { model: channels.take().alone });
    await Promise.all(Array.from({ length: 4 }, () => untilHeard(askAlone)));
  }
  // One try each, and the ten retries that a quiet service has.
  expect(other.upstream.requests).toHaveLength(12 + 10);
  await other.stop();
});

test('nothing is sent before the first word: the failed channel’s role chunk is not seen', async () => {
  const [, roleThenCut] = STREAM_FAILURES.find(([what]) => what === 'a cut after the role') ?? [];
  first.otherwise(roleThenCut ?? {});
  second.next(chatStream({ pieces: ['Only', ' once'] }));
  const events = await readSse(await gateway.chat(account.key, { model: set.both, stream: true }));
  expect(events.filter(({ json }) => json?.choices?.[0]?.delta?.role)).toHaveLength(1);
  expect(textOf(events)).toBe('Only once');
  expect(events.at(-1)?.data).toBe('[DONE]');
});
