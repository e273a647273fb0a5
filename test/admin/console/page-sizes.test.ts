// No page of the console is above 60 KB, however much there is to show: it shows a part, and leads to the rest. The document
// as text is as long as it is.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import type { SiteClient } from '../../site/site-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { openaiChannel, upModel } from '../../support/test-document.ts';
import { writeSql } from '../../support/write-sql.ts';
import { clientOf, fieldOf } from './operator-client.ts';

const MAX_BYTES = 60_000;
const MANY = 400;
const SECONDS = 1_000;
const CHANNELS = Array.from({ length: 30 }, (_, index) => `vendor-with-a-name-${index}`);
const MODELS = Array.from({ length: 150 }, (_, index) => `family-of-models-number-${index}`);

let gateway: TestGateway;
let client: SiteClient;
let accountId: string;
let keyId: string;
let batch: string;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [...standard.channels, ...CHANNELS.map((name) => openaiChannel(name, 'http://127.0.0.1:9/v1'))],
      models: [
        ...standard.models,
        ...MODELS.map((id, index) =>
          upModel(id, {
            price: { input: 10, cached_input: 1, output: 40 },
            routes: [0, 1].map((next) => ({ channel: CHANNELS[(index + next) % CHANNELS.length], model: id })),
          }),
        ),
      ],
    }),
  });
  client = await clientOf(gateway);
  ({ accountId, keyId } = await gateway.register());
  const cards = { amount: '100', count: String(MANY), kind: 'sold', expires: '', note: 'x'.repeat(200) };
  const asked = await (await client.post('/cards/review', cards)).text();
  const issued = await client.post('/cards', { ...cards, once: fieldOf(asked, 'once') });
  [batch = ''] = (issued.headers.get('location') ?? '').split('?');
  await fill();
}, 120 * SECONDS);
afterAll(() => gateway.stop());

/** Rows of every table that pages list. */
async function fill(): Promise<void> {
  const now = Date.now();
  const day = taipeiDay(now);
  const id = (prefix: string) => `'${prefix}_' || substr('0000000000000000000000000' || i, -26)`;
  const insert = (table: string, columns: string, values: string) =>
    writeSql(
      gateway.databaseFile,
      `INSERT INTO ${table} (${columns})
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY}) SELECT ${values} FROM n`,
    );
  const model = `'family-of-models-number-' || (i % 150)`;
  const channel = `'vendor-with-a-name-' || (i % 30)`;
  insert('accounts', 'account_id, created_at', `${id('acc')}, ${now}`);
  insert(
    'wallets',
    'account_id, balance_nano, held_nano, in_flight, free_in_flight, frozen, touched_at',
    `${id('acc')}, 1234567890123, 0, 0, 0, i % 2, ${now}`,
  );
  insert(
    'account_notes',
    'account_id, nickname, note, search',
    `${id('acc')}, 'Customer ' || i, NULL, 'customer ' || i`,
  );
  insert(
    'usage_records',
    `request_id, account_id, key_id, at, model, channel, endpoint, status, stream, input_tokens, cached_input_tokens,
      cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, images, first_token_ms, total_ms,
      held_nano, cost_nano, balance_after_nano, estimated, revision, attempts, upstream_nano`,
    `${id('req')}, '${accountId}', '${keyId}', ${now} - i, ${model}, ${channel}, '/v1/chat/completions',
      CASE WHEN i % 3 = 0 THEN 'upstream_failed' ELSE 'ok' END, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 9000000, 9000000, 1, 0, 1, '[]', 1`,
  );
  insert(
    'entries',
    'at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference',
    `${now}, 'usage', '${accountId}', 'house:revenue', 9000000, '${accountId}', 1, ${id('req')}`,
  );
  insert(
    'usage_days',
    `account_id, day, key_id, model, channel, status, requests, input_tokens, cached_input_tokens, cache_write_5m_tokens,
      cache_write_1h_tokens, output_tokens, reasoning_tokens, images, cost_nano`,
    `${id('acc')}, ${day} - i % 90, '${keyId}', ${model} || i, ${channel} || i, 'ok', 1, 1, 0, 0, 0, 1, 0, 0, 9000000`,
  );
  insert(
    'losses',
    'request_id, at, day, account_id, model, channel, reason, amount_nano',
    `${id('req')}, ${now}, ${day} - i % 90, ${id('acc')}, ${model} || i, ${channel} || i, 'hedge', 9000000`,
  );
  insert(
    'keys',
    'key_id, account_id, hash, last4, name, manage, created_at',
    `${id('key')}, '${accountId}', 'hash-' || i, 'last', 'A key of the customer ' || i, 0, ${now}`,
  );
  insert(
    'holds',
    'request_id, account_id, key_id, node_id, amount_nano, free, model, endpoint, stream, revision, opened_at, budgeted',
    `${id('run')}, '${accountId}', '${keyId}', 'node', 0, 0, ${model}, '/v1/chat/completions', 0, 1, ${now}, 0`,
  );
  insert(
    'refused_requests',
    'request_id, account_id, key_id, at, endpoint, model, status, code, figures',
    `${id('ref')}, '${accountId}', '${keyId}', ${now}, 'POST /v1/chat/completions', 'up-paid', 402, 'key_budget_exceeded', '{}'`,
  );
  insert(
    'incidents',
    'incident_id, started_at, ended_at, title_en, title_zh, text_en, text_zh, created_at',
    `${id('inc')}, ${now}, NULL, 'A title ' || i, '標題 ' || i, 'A text of a usual length that says what happened.', '說明文字', ${now}`,
  );
  insert(
    'audit_log',
    'at, actor, action, subject, detail',
    `${now}, 'console', 'account.credit', '${accountId}', '{"reason":"A reason of a usual length, as operators write","amount_nano":"100000000000"}'`,
  );
  insert(
    'alarms',
    'at, name, fields, subject',
    `${now}, 'usage_invalid', json_object('channel', ${channel} || i, 'detail', 'A detail of a usual length'), ${channel} || i`,
  );
  const { store } = gateway.gateway;
  for (let index = 0; index < MANY / 4; index++) {
    const card = { hash: `hash-${index}`, serial: `SN-MANY-${index}` };
    const own = { batchId: `batch_many_${index}`, kind: 'promo' as const, amount: 100n, count: 1, expiresAt: null };
    await store.commit('issue', { batch: { ...own, note: 'A note', createdAt: now }, cards: [card] });
  }
}

const OF_ACCOUNT = ['', '/requests', '/refused', '/ledger', '/ledger?show=credits', '/keys', '/refund', '/statements'];
const OTHERS = [
  ...['/', '/channels', '/connect', '/models', '/models/revisions', '/models/import', '/cards', '/accounts'],
  ...['/channels/vendor-with-a-name-1', '/channels/vendor-with-a-name-1/edit', '/accounts?q=customer', '/ledger'],
  ...['model', 'channel', 'account', 'day'].map((by) => `/ledger/profit?by=${by}&days=90`),
  ...['reason', 'model', 'channel', 'account'].map((by) => `/ledger/losses?by=${by}&days=90`),
  ...['/ledger/reconcile', '/alarms', '/alarms?all', '/incidents', '/actions'],
];

test.each(OTHERS)('%s', (path) => isLight(path));
test.each(OF_ACCOUNT)('the account: %s', (path) => isLight(`/accounts/${accountId}${path}`));
test.each(['', '?state=issued', '/sheet', '/sheet?page=9'])('a batch of cards: %s', (path) => isLight(batch + path));

async function isLight(path: string): Promise<void> {
  const response = await client.get(path);
  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBeLessThan(MAX_BYTES);
}
