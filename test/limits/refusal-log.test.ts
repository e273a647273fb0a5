// Refused requests in memory: all are counted, the newest are kept, and no flood makes it grow.

import { expect, test } from 'bun:test';
import { createRefusalLog, type Refusal } from '../../src/limits/refusal-log.ts';
import type { RefusalBatch } from '../../src/store/refusals.ts';
import { createManualClock } from '../support/manual-clock.ts';

let made = 0;
function refusal(accountId: string, fields: Partial<Refusal> = {}): Refusal {
  const id = { requestId: `req_${String(made++).padStart(9, '0')}`, accountId, keyId: accountId && `key_${accountId}` };
  return {
    ...id,
    endpoint: 'POST /v1/messages',
    model: null,
    status: 429,
    code: 'rate_limited',
    figures: {},
    ...fields,
  };
}

const countsOf = (batches: readonly RefusalBatch[]) => batches.flatMap(({ counts }) => counts);
const idsOf = (batches: readonly RefusalBatch[]) =>
  batches.flatMap(({ requests }) => requests.map(({ requestId }) => requestId)).sort();
const sum = (batches: readonly RefusalBatch[]) => countsOf(batches).reduce((all, { refused }) => all + refused, 0);

test('of a flood of one account the newest 100 are kept, and all are counted', () => {
  const log = createRefusalLog(createManualClock(), 'node');
  const sent = Array.from({ length: 1_234 }, () => refusal('a'));
  for (const one of sent) log.record(one);
  log.record(refusal('b', { code: 'model_not_found' }));
  const taken = log.take();
  expect(countsOf(taken).map(({ accountId, code, refused }) => [accountId, code, refused])).toEqual([
    ['a', 'rate_limited', 1_234],
    ['b', 'model_not_found', 1],
  ]);
  expect(idsOf(taken).slice(0, -1)).toEqual(sent.slice(-100).map(({ requestId }) => requestId));
  expect(log.take()).toEqual([]);
});

test('a flood from 100,000 accounts stays bounded, is counted whole, and comes in small batches', () => {
  const log = createRefusalLog(createManualClock(), 'node');
  for (let n = 0; n < 100_000; n++) log.record(refusal(`acc_${n % 50_000}`));
  const taken = log.take();
  expect(sum(taken)).toBe(100_000);
  expect(countsOf(taken).length).toBeLessThanOrEqual(5_001);
  expect(idsOf(taken)).toHaveLength(10_000);
  for (const { counts, requests } of taken) expect(Math.max(counts.length, requests.length)).toBeLessThanOrEqual(500);
});

test('an account that is known keeps its newest also when the log is full', () => {
  const log = createRefusalLog(createManualClock(), 'node');
  log.record(refusal('known'));
  for (let n = 0; n < 20_000; n++) log.record(refusal(`acc_${n}`));
  const last = refusal('known');
  log.record(last);
  expect(idsOf(log.take())).toContain(last.requestId);
});

test('of a flood without an account the newest 250 of each code are kept', () => {
  const log = createRefusalLog(createManualClock(), 'node');
  const quoted = refusal('', { code: 'invalid_api_key' });
  log.record(quoted);
  const flood = Array.from({ length: 20_000 }, () => refusal('', { code: 'route_not_found' }));
  for (const one of flood) log.record(one);
  const taken = log.take();
  expect(idsOf(taken)).toEqual([quoted, ...flood.slice(-250)].map(({ requestId }) => requestId));
  expect(sum(taken)).toBe(20_001);
});

test('batches are numbered without end, under the name of the log', () => {
  const log = createRefusalLog(createManualClock(), 'node_7');
  const numbers = [];
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 600; n++) log.record(refusal(`acc_${n}`));
    numbers.push(...log.take().map(({ source, number }) => [source, number]));
  }
  expect(numbers).toEqual([1, 2, 3, 4].map((number) => ['node_7', number]));
});

test('a day in Taipei has counts of its own', async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 18, 15, 59));
  const log = createRefusalLog(clock, 'node');
  log.record(refusal('a'));
  await clock.advance(60_000);
  log.record(refusal('a'));
  const [before, after] = countsOf(log.take());
  expect((after?.day ?? 0) - (before?.day ?? 0)).toBe(1);
});
