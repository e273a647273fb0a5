// An account that has used the service for months: usage of many models and keys on each day, written as SQL because as
// many calls would take minutes, and on every other page as much as a customer with many programs has.

import { DAY_MS } from '../../src/kit/clock.ts';
import { createKey } from './create-key.ts';
import type { TestAccount, TestGateway } from './gateway.ts';
import { issueCard } from './issue-cards.ts';
import { type TestDocument, upModel } from './test-document.ts';

const USED = [
  ...['claude-sonnet-5', 'gpt-6.1-terra', 'gemini-3-pro', 'llama-4-maverick-17b-128e-instruct-fp8', 'qwen-4-coder'],
  ...['deepseek-v4', 'mistral-large-3', 'grok-5-fast', 'kimi-k3'],
];
const MODELS = 60;

/** A catalog of the size that resellers have. */
export function withManyModels(standard: TestDocument): TestDocument {
  const ids = [
    ...USED,
    ...Array.from({ length: MODELS - USED.length }, (_, index) => `vendor-model-${index}-instruct`),
  ];
  const price = (index: number) => ({ input: 10 + index, cached_input: 1, output: 40 + 3 * index });
  return { ...standard, models: [...standard.models, ...ids.map((id, index) => upModel(id, { price: price(index) }))] };
}

export interface FullOptions {
  keys: number;
  /** Of entries of this month. */
  entries: number;
  days: number;
  perDay: number;
}

export async function fullAccount(gateway: TestGateway, options: FullOptions): Promise<TestAccount> {
  const account = await gateway.register();
  const { accountId, key } = account;
  const { store } = gateway.gateway;
  const at = Date.now();
  for (let entry = 0; entry < options.entries; entry++) {
    const given = { accountId, amount: 12_345_678_901n, reference: `order-2026-${entry}`, reason: 'order', at };
    await store.commit('credit', { ...given, kind: 'topup' });
  }
  for (const _ of Array(20))
    await gateway.call('/api/redeem', { key, body: { code: (await issueCard(gateway)).code } });
  for (const [index] of Array(10).entries()) {
    await gateway.call('/api/webhooks', { key, body: { url: `https://example.com/hooks/${index}/${'a'.repeat(80)}` } });
  }
  const keyIds = [account.keyId];
  for (let index = 1; index < options.keys; index++) {
    const budgets = { day_ntd: 50, month_ntd: 1_000, total_ntd: 9_000 };
    const fields = { name: `program ${index} of the team`, models: USED.slice(0, 3), budgets };
    keyIds.push((await createKey(gateway, key, index % 3 === 0 ? { name: `plain ${index}` } : fields)).id);
  }
  writeUsage(gateway, { accountId, keyIds: keyIds.slice(0, 8), ...options });
  return account;
}

function writeUsage(
  gateway: TestGateway,
  { accountId, keyIds, days, perDay }: FullOptions & { accountId: string; keyIds: readonly string[] },
): void {
  const count = days * perDay;
  const chosen = (values: readonly string[], by: string) =>
    `CASE ${by} % ${values.length} ${values.map((value, index) => `WHEN ${index} THEN '${value}'`).join(' ')} END`;
  // No two of these have a common factor, so that every model meets every key.
  gateway.sql(
    `INSERT INTO usage_records (request_id, account_id, key_id, at, model, channel, endpoint, status, stream,
       input_tokens, cached_input_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
       images, first_token_ms, total_ms, held_nano, cost_nano, balance_after_nano, estimated, revision, attempts, rule)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT 'req_' || substr('0000000000000000000000000' || i, -26), ?, ${chosen(keyIds, '(i / 5)')},
       ? - i * ?, ${chosen(USED, '(i * i + i / 7)')}, CASE WHEN i % 23 = 0 THEN NULL ELSE 'up' END,
       '/v1/chat/completions', CASE WHEN i % 23 = 0 THEN 'upstream_failed' WHEN i % 41 = 0 THEN 'client_gone' ELSE 'ok' END,
       i % 2, 1000 + i * 37 % 5000, 0, 0, 0, 300 + i * 13 % 900, 0, 0, 400 + i * 7 % 900, 1500 + i * 97 % 30000,
       900000000, CASE WHEN i % 23 = 0 THEN 0 ELSE 8123456 + i * 7919 % 90000001 END, 500123456789, 0, 1,
       '[{"channel":"up","outcome":"ok","ms":2400}]', CASE WHEN i % 23 = 0 THEN 'upstream_failed' ELSE 'served' END
     FROM n`,
    ...[count, accountId, Date.now(), Math.floor((days * DAY_MS) / count)],
  );
  gateway.sql(
    `INSERT INTO usage_days (account_id, day, key_id, model, channel, status, requests, input_tokens,
       cached_input_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, images, cost_nano)
     SELECT account_id, (at + 28800000) / 86400000, key_id, model, coalesce(channel, ''), status, count(*),
       sum(input_tokens), 0, 0, 0, sum(output_tokens), 0, 0, sum(cost_nano)
     FROM usage_records WHERE account_id = ? GROUP BY 1, 2, 3, 4, 5, 6`,
    accountId,
  );
}
