// What `/metrics` says after calls whose number, cost and end the test knows.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createMetrics } from '../../../src/admin/metrics/metrics.ts';
import { readCards } from '../../../src/admin/metrics/request-metrics.ts';
import { createGate, eventually } from '../../support/eventually.ts';
import { postForm } from '../../support/forms.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { issueCard } from '../../support/issue-cards.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { chatAnswer, chatStream, errorScript, jsonScript, sseScript, sseText } from '../../support/openai-chat.ts';
import { type Operator, operatorOf } from '../../support/operator.ts';
import { readScrape } from '../../support/prometheus.ts';
import { wavOf } from '../../support/recordings.ts';
import { openaiChannel, UP_PRICES, upModel, upstreamUrl } from '../../support/test-document.ts';

const CHAT = '/v1/chat/completions';

let gateway: TestGateway;
let operator: Operator;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    limits: { free_per_minute: 2 },
    document: (doc) => ({
      ...doc,
      channels: [...doc.channels, openaiChannel('spare', upstreamUrl(doc))],
      models: [
        ...doc.models,
        upModel('hear', { kinds: ['transcription'], price: { second: 0.001 } }),
        upModel('say', { kinds: ['speech'], price: { character: 1 } }),
        upModel('sort', { kinds: ['rerank'], price: { search: 1 } }),
        upModel('twice', {
          price: { input: 10, output: 40 },
          routes: [
            { channel: 'up', model: 'first', priority: 1 },
            { channel: 'spare', model: 'second', priority: 2 },
          ],
        }),
      ],
    }),
  });
  operator = operatorOf(gateway);
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const ok = { endpoint: CHAT, model: 'up-paid', channel: 'up', outcome: 'ok' };
const USAGE = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 4 },
};

test('a fresh gateway says what it is, and that all is well', async () => {
  const response = await operator.call('/metrics');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const read = readScrape(await response.text());
  const { version } = await Bun.file(`${import.meta.dir}/../../../package.json`).json();
  expect(read.value('gateway_build_info', { version, bun: Bun.version })).toBe(1);
  expect(read.value('gateway_store_up')).toBe(1);
  expect(read.value('gateway_ready')).toBe(1);
  expect(read.value('gateway_ledger_unbalanced')).toBe(0);
  expect(read.value('gateway_catalog_revision')).toBe(1);
  expect(read.value('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  expect(read.value('process_heap_bytes')).toBeGreaterThan(1e6);
  expect(read.value('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(read.value('process_start_time_seconds')).toBeWithin(Date.now() / 1000 - 86_400, Date.now() / 1000);
  expect(read.value('process_open_fds')).toBeGreaterThan(3);
});

test('an event loop that was kept busy is seen to have been late', async () => {
  const name = 'gateway_event_loop_delay_seconds';
  const looks = async () => (await operator.scrape()).value(`${name}_count`);
  const late = async () => {
    const read = await operator.scrape();
    return read.value(`${name}_count`) - read.value(`${name}_bucket`, { le: '0.25' });
  };
  const lateBefore = await late();
  const looksBefore = await looks();
  await eventually('it to be looked at', async () => (await looks()) > looksBefore);
  const until = performance.now() + 400;
  while (performance.now() < until);
  await eventually('the delay to be noted', async () => (await late()) > lateBefore);
});

test('seconds, characters and searches are counted by model', async () => {
  const { key } = account;
  gateway.upstream.next(
    jsonScript(200, { text: 'Hello.', usage: { type: 'duration', seconds: 3 } }),
    { headers: { 'content-type': 'audio/mpeg' }, body: ['sound'] },
    jsonScript(200, {
      results: [{ index: 0, relevance_score: 1 }],
      meta: { billed_units: { search_units: 2 } },
    }),
  );
  const file = new File([wavOf(2.5)], 'a.wav');
  const answers = [
    await postForm(
      gateway,
      '/v1/audio/transcriptions',
      [
        ['model', 'hear'],
        ['file', file],
      ],
      { key },
    ),
    await gateway.call('/v1/audio/speech', { key, body: { model: 'say', input: 'Hello', voice: 'alloy' } }),
    await gateway.call('/v1/rerank', { key, body: { model: 'sort', query: 'q', documents: ['d'] } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const counted = async () => {
    const read = await operator.scrape();
    return [
      read.value('gateway_units_total', { model: 'hear', unit: 'second' }),
      read.value('gateway_units_total', { model: 'say', unit: 'character' }),
      read.value('gateway_units_total', { model: 'sort', unit: 'search' }),
    ];
  };
  await eventually('the end of the speech', async () => (await counted())[1] === 5);
  expect(await counted()).toEqual([3, 5, 2]);
});

test('calls are counted by endpoint, model, channel and outcome, with their tokens, cost and time', async () => {
  const before = await operator.scrape();
  const costs: number[] = [];
  for (let n = 0; n < 3; n++) {
    gateway.upstream.next(chatAnswer({ usage: USAGE }));
    const response = await gateway.chat(account.key, { model: 'up-paid', max_tokens: 20 });
    expect(response.status).toBe(200);
    costs.push(Number(response.headers.get('x-svc-cost-ntd')));
    await response.text();
  }
  gateway.upstream.next(chatStream({ usage: USAGE }));
  const stream = await gateway.chat(account.key, { model: 'up-paid', max_tokens: 20, stream: true });
  await stream.text();
  const after = await operator.scrape();
  const grown = (name: string, labels: Record<string, string>) =>
    after.value(name, labels) - before.value(name, labels);
  const model = 'up-paid';
  expect(grown('gateway_requests_total', ok)).toBe(4);
  expect(grown('gateway_upstream_attempts_total', { channel: 'up', outcome: 'ok' })).toBe(4);
  expect(grown('gateway_tokens_total', { model, bucket: 'input' })).toBe(4 * 7);
  expect(grown('gateway_tokens_total', { model, bucket: 'cached_input' })).toBe(4 * 4);
  expect(grown('gateway_tokens_total', { model, bucket: 'output' })).toBe(4 * 7);
  expect(grown('gateway_first_token_seconds_count', { model, channel: 'up' })).toBe(1);
  expect(grown('gateway_request_seconds_count', { model, channel: 'up' })).toBe(4);
  expect(grown('gateway_request_seconds_sum', { model, channel: 'up' })).toBeWithin(0, 60);
  const cost = Number(7n * UP_PRICES.input + 4n * UP_PRICES.cached + 7n * UP_PRICES.output) / 1e9;
  expect(costs).toEqual([cost, cost, cost]);
  expect(grown('gateway_charged_ntd_total', { model, channel: 'up' })).toBeCloseTo(4 * cost, 9);
  expect(after.value('gateway_requests_open', { kind: 'stream' })).toBe(0);
});

test('what is under way is open, with its hold; afterwards it is not', async () => {
  const gate = createGate();
  gateway.upstream.next(
    sseScript([
      sseText(JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] })),
      gate.opened,
      sseText(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })),
      sseText('[DONE]'),
    ]),
  );
  const stream = await gateway.chat(account.key, { model: 'up-paid', max_tokens: 100, stream: true });
  const [hold] = gateway.sql<{ amount_nano: bigint }>('SELECT amount_nano FROM holds');
  const open = await operator.scrape();
  expect(open.value('gateway_requests_open', { kind: 'stream' })).toBe(1);
  expect(open.value('gateway_holds_open')).toBe(1);
  expect(open.value('gateway_holds_ntd')).toBeCloseTo(Number(hold?.amount_nano) / 1e9, 9);
  expect(open.value('gateway_oldest_hold_seconds')).toBeWithin(0, 30);
  gate.open();
  await stream.text();
  const over = await operator.scrape();
  for (const name of [
    'gateway_holds_open',
    'gateway_holds_ntd',
    'gateway_oldest_hold_seconds',
    'gateway_ledger_queue',
  ]) {
    expect([name, over.value(name)]).toEqual([name, 0]);
  }
  expect(over.value('gateway_requests_open', { kind: 'stream' })).toBe(0);
  expect(over.value('gateway_settlements_open')).toBe(0);
});

test('faults and limits are counted by code', async () => {
  const before = await operator.scrape();
  for (const key of ['sk-svc-wrong', 'sk-svc-wrong']) await gateway.call('/api/me', { key });
  await gateway.call('/none');
  const other = await gateway.register();
  for (let n = 0; n < 4; n++) {
    await (await gateway.chat(other.key, { model: 'auto:free' }, { headers: { 'x-svc-no-wait': '1' } })).text();
  }
  const after = await operator.scrape();
  const grown = (name: string, code: string) => after.value(name, { code }) - before.value(name, { code });
  expect(grown('gateway_faults_total', 'invalid_api_key')).toBe(2);
  expect(grown('gateway_faults_total', 'route_not_found')).toBe(1);
  expect(grown('gateway_faults_total', 'free_minute_limit')).toBe(2);
  expect(grown('gateway_limits_hit_total', 'free_minute_limit')).toBe(2);
  expect(after.sum('gateway_limits_hit_total', { code: 'invalid_api_key' })).toBe(0);
  // Never met, but there: an increase from nothing would not show.
  expect(after.text).toContain('gateway_faults_total{code="loop_detected"} 0');
});

test('attempts by outcome and channel; a breaker that opens is seen to be open', async () => {
  const before = await operator.scrape();
  expect(before.value('gateway_breaker_state', { channel: 'up', upstream_model: 'first', state: 'closed' })).toBe(1);
  gateway.upstream.next(errorScript(401, { message: 'no' }), chatAnswer());
  const response = await gateway.chat(account.key, { model: 'twice', max_tokens: 20 });
  expect(response.headers.get('x-svc-channel')).toBe('spare');
  await response.text();
  const after = await operator.scrape();
  const attempts = (channel: string, outcome: string) =>
    after.value('gateway_upstream_attempts_total', { channel, outcome }) -
    before.value('gateway_upstream_attempts_total', { channel, outcome });
  expect([attempts('up', 'refused_our_key'), attempts('spare', 'ok')]).toEqual([1, 1]);
  expect(after.value('gateway_requests_total', { ...ok, model: 'twice', channel: 'spare' })).toBe(1);
  const state = (channel: string, model: string, state: string) =>
    after.value('gateway_breaker_state', { channel, upstream_model: model, state });
  expect([state('up', 'first', 'open'), state('up', 'first', 'closed'), state('up', 'first', 'probing')]).toEqual([
    1, 0, 0,
  ]);
  expect(state('spare', 'second', 'closed')).toBe(1);
  expect(after.value('gateway_alarms_total', { name: 'upstream_refused_our_key', severity: 'critical' })).toBe(1);
});

test('a call that no channel served has no channel and no cost', async () => {
  gateway.upstream.otherwise(errorScript(500, { message: 'broken' }));
  const before = await operator.scrape();
  const response = await gateway.chat(account.key, { model: 'up-paid', max_tokens: 20 });
  expect(response.status).toBe(502);
  await response.text();
  const after = await operator.scrape();
  const failed = { ...ok, channel: 'none', outcome: 'upstream_failed' };
  expect(after.value('gateway_requests_total', failed) - before.value('gateway_requests_total', failed)).toBe(1);
  expect(after.sum('gateway_charged_ntd_total')).toBe(before.sum('gateway_charged_ntd_total'));
  expect(after.sum('gateway_request_seconds_count')).toBe(before.sum('gateway_request_seconds_count'));
});

test('the ledger: as many operations as were committed, in batches with their times', async () => {
  const before = await operator.scrape();
  await Promise.all(Array.from({ length: 5 }, () => gateway.register()));
  const after = await operator.scrape();
  const grown = (name: string, labels = {}) => after.value(name, labels) - before.value(name, labels);
  // Whatever the jobs committed meanwhile comes on top.
  expect(grown('gateway_ledger_batch_operations_sum')).toBeGreaterThanOrEqual(5);
  const batches = grown('gateway_ledger_batch_operations_count');
  expect(batches).toBeGreaterThan(0);
  expect(grown('gateway_ledger_commit_seconds_count', { outcome: 'committed' })).toBe(batches);
  expect(after.value('gateway_ledger_commit_seconds_count', { outcome: 'failed' })).toBe(0);
});

test('refused requests are counted by code and model', async () => {
  const before = await operator.scrape();
  await (await gateway.chat('sk-wrong', { model: 'up-paid' })).text();
  await (await gateway.chat(account.key, { model: 'up-paid', max_tokens: 'many' })).text();
  await (await gateway.chat(account.key, { model: 'no-such-model' })).text();
  const after = await operator.scrape();
  const grown = (labels: Record<string, string>) =>
    after.sum('gateway_refusals_total', labels) - before.sum('gateway_refusals_total', labels);
  expect(grown({})).toBe(3);
  expect(grown({ code: 'model_not_found', model: 'none' })).toBe(1);
  expect(grown({ model: 'up-paid' })).toBeGreaterThanOrEqual(1);
});

test('cards are a liability until they are redeemed and spent', async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 19));
  const metrics = createMetrics();
  readCards(metrics, { store: gateway.gateway.store, clock });
  const parts = async () => {
    const read = readScrape(await metrics.text());
    return ['sold', 'redeemed', 'unredeemed', 'unspent', 'owed'].map((part) =>
      read.value('gateway_cards_ntd', { part }),
    );
  };
  expect(await parts()).toEqual([0, 0, 0, 0, 0]);
  const one = await gateway.register();
  const [{ code }] = await Promise.all([issueCard(gateway), issueCard(gateway)]);
  await gateway.call('/api/redeem', { key: one.key, body: { code } });
  // Summed up at most once a minute.
  expect(await parts()).toEqual([0, 0, 0, 0, 0]);
  await clock.advance(60_000);
  expect(await parts()).toEqual([200, 100, 100, 100, 200]);
});

describe('what must never be there', () => {
  test('no account, key, request, address or content in any label', async () => {
    const marked = 'a-word-of-a-prompt';
    await (await gateway.chat(account.key, { model: marked, messages: [{ role: 'user', content: marked }] })).text();
    await (await gateway.call(`/api/${marked}`)).text();
    const { text } = await operator.scrape();
    for (const secret of [account.accountId, account.keyId, account.key, marked, '127.0.0.1', 'req_', operator.token]) {
      expect(text).not.toContain(secret);
    }
  });

  test('labels take their values from the catalog and from closed lists, however many calls there are', async () => {
    const series = async () => (await operator.scrape()).text.split('\n').length;
    const before = await series();
    for (let n = 0; n < 50; n++) {
      await (await gateway.chat(account.key, { model: `made-up-${n}` }, { headers: { 'user-agent': `u${n}` } })).text();
    }
    // `model_not_found` was there from the start.
    expect(await series()).toBe(before);
  });
});
