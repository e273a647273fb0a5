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
  const log = createRefusalLog(createManualClock());
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
  const log = createRefusalLog(createManualClock());
  for (let n = 0; n < 100_000; n++) log.record(refusal(`acc_${n % 50_000}`));
  const taken = log.take();
  expect(sum(taken)).toBe(100_000);
  expect(countsOf(taken).length).toBeLessThanOrEqual(5_001);
  expect(idsOf(taken)).toHaveLength(10_000);
  for (const { counts, requests } of taken) expect(Math.max(counts.length, requests.length)).toBeLessThanOrEqual(500);
});

test('an account that is known keeps its newest also when the log is full', () => {
  const log = createRefusalLog(createManualClock());
  log.record(refusal('known'));
  for (let n = 0; n < 20_000; n++) log.record(refusal(`acc_${n}`));
  const last = refusal('known');
  log.record(last);
  expect(idsOf(log.take())).toContain(last.requestId);
});

test('what was not written is given back, behind what came meanwhile, and nothing is lost or counted twice', () => {
  const log = createRefusalLog(createManualClock());
  for (let n = 0; n < 60; n++) log.record(refusal('a'));
  const first = log.take();
  const newer = Array.from({ length: 60 }, () => refusal('a'));
  for (const one of newer) log.record(one);
  for (const batch of first) log.giveBack(batch);
  const again = log.take();
  expect(sum(again)).toBe(120);
  expect(idsOf(again)).toHaveLength(100);
  expect(idsOf(again)).toEqual(expect.arrayContaining(newer.map(({ requestId }) => requestId)));
});

test('a day in Taipei has counts of its own', async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 18, 15, 59));
  const log = createRefusalLog(clock);
  log.record(refusal('a'));
  await clock.advance(60_000);
  log.record(refusal('a'));
  const [before, after] = countsOf(log.take());
  expect((after?.day ?? 0) - (before?.day ?? 0)).toBe(1);
});
