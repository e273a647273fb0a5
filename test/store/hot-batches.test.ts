// What travels between the threads as a text arrives as it was, to the last nano; the rest is left to travel as it is.

import { expect, test } from 'bun:test';
import { MAX_NANO } from '../../src/kit/money.ts';
import type { Decided } from '../../src/store/book/decide.ts';
import type { Operation, Outcome } from '../../src/store/operations.ts';
import {
  decodeAnswers,
  decodeOperations,
  encodeAnswers,
  encodeOperations,
} from '../../src/store/sqlite/hot-batches.ts';

const admission = {
  requestId: 'req_1',
  accountId: 'acc_1',
  keyId: 'key_1',
  nodeId: 'node_1',
  at: 1_768_500_000_000,
  model: 'a "model" 模型',
  endpoint: '/v1/chat/completions',
  stream: true,
  revision: 7,
};
const outcome: Outcome = {
  at: 1_768_500_000_900,
  status: 'ok',
  channel: null,
  buckets: {
    input: 1,
    cachedInput: 2,
    cacheWrite5m: 3,
    cacheWrite1h: 4,
    output: 5,
    images: 6,
    seconds: 8,
    characters: 9,
    searches: 10,
  },
  reasoning: 7,
  estimated: true,
  firstTokenMs: null,
  totalMs: 900.5,
  attempts: [{ channel: 'main', outcome: 'ok', ms: 880 }],
  serviceTier: null,
  toolCalls: null,
  pricedAt: null,
  upstreamCost: null,
};
const closed = { requestId: 'req_1', accountId: 'acc_1', keyId: 'key_1' };
const free = { perMinute: 6, perDayZero: 50, perDayPositive: 1_000, inFlight: Number.MAX_SAFE_INTEGER };

const chain = { ancestors: ['key_0'], sessions: ['key_1:hash'], rated: ['key_0', 'key_1'] };
const tokens = { input: 12, perOutput: 2, wanted: 100, least: 16 };

const OPERATIONS: Operation[] = [
  {
    name: 'admit',
    input: {
      ...admission,
      chain: undefined,
      tokens: undefined,
      charge: {
        free: false,
        hold: { base: MAX_NANO, unit: 9_007_199_254_740_993n, wanted: 100, least: 16 },
        limits: { perMinute: 600, inFlight: 20 },
      },
    },
  },
  { name: 'admit', input: { ...admission, chain, tokens, charge: { free: true, limits: free } } },
  {
    name: 'admit',
    input: {
      ...admission,
      chain,
      tokens,
      charge: { free: true, limits: { ...free, perAddress: { address: 'hash', perDay: 9 } } },
    },
  },
  { name: 'settle', input: { ...closed, cost: MAX_NANO, outcome: { ...outcome, model: 'another' } } },
  {
    name: 'settle',
    input: {
      ...closed,
      cost: 1n,
      outcome: { ...outcome, serviceTier: 'flex', toolCalls: { web_search: 2 }, pricedAt: 9, upstreamCost: MAX_NANO },
    },
  },
  {
    name: 'settle',
    input: { ...closed, cost: 0n, outcome: { ...outcome, channel: 'main', firstTokenMs: 0, attempts: [] } },
  },
  { name: 'release', input: { ...closed, giveBackSlots: true, freeAddress: 'hash', outcome } },
  { name: 'release', input: { ...closed, giveBackSlots: false, outcome } },
  { name: 'settle', input: { ...closed, chain, cost: 5n, outcome } },
  { name: 'release', input: { ...closed, chain, giveBackSlots: true, freeAddress: 'hash', outcome } },
];

const WITH_LOSSES: Operation[] = [
  { name: 'settle', input: { ...closed, cost: 3n, outcome: { ...outcome, rule: 'served' } } },
  { name: 'release', input: { ...closed, giveBackSlots: true, outcome: { ...outcome, rule: 'upstream_failed' } } },
  {
    name: 'settle',
    input: {
      ...closed,
      cost: 0n,
      losses: {
        items: [
          { reason: 'failed_attempt', model: 'm', channel: 'main', amount: MAX_NANO, charge: 0n },
          { reason: 'empty_answer', model: 'a "model" 模型', channel: null, amount: 0n, charge: MAX_NANO },
        ],
        guard: 5_000_000_000n,
      },
      outcome: { ...outcome, rule: 'empty_answer' },
    },
  },
  {
    name: 'release',
    input: {
      ...closed,
      giveBackSlots: false,
      freeAddress: 'hash',
      losses: {
        items: [{ reason: 'client_gone', model: 'm', channel: 'main', amount: 1n, charge: 2n, isAtSalePrice: true }],
        guard: null,
      },
      outcome,
    },
  },
];

test.each([OPERATIONS, WITH_LOSSES])('operations', (...operations) => {
  const text = encodeOperations(12, operations);
  expect(decodeOperations(text ?? '')).toEqual({ id: 12, operations });
});

test('a batch with another operation, or with one that is not what it should be, goes as it is', () => {
  const lease: Operation = { name: 'lease', input: { nodeId: 'n', host: 'h', pid: 1, expiresAt: 1 } };
  expect(encodeOperations(1, [...OPERATIONS, lease])).toBeUndefined();
  const wrong = { name: 'settle', input: { ...closed, outcome } } as unknown as Operation;
  expect(encodeOperations(1, [...OPERATIONS, wrong])).toBeUndefined();
  const broken = { name: 'settle', input: { ...closed, outcome, cost: 1.5 } } as unknown as Operation;
  expect(encodeOperations(1, [...OPERATIONS, broken])).toBeUndefined();
});

const allowance = { limit: 600, used: 1, remaining: 599, resetsAt: 1_768_500_060_000 };
const ANSWERS: Decided[] = [
  { ok: true, result: { ok: true, held: MAX_NANO, granted: Number.MAX_SAFE_INTEGER, balance: 1n, allowance } },
  { ok: true, result: { state: 'closed', charged: MAX_NANO, writtenOff: 9_007_199_254_740_993n, balance: 0n } },
  { ok: true, result: { state: 'late' } },
  { ok: true, result: { ok: false, reason: 'lease_lost' } },
  { ok: true, result: { ok: false, reason: 'wallet_frozen' } },
  { ok: true, result: { ok: false, reason: 'rate_limited', allowance } },
  { ok: true, result: { ok: false, reason: 'too_many_in_flight', allowance } },
  { ok: true, result: { ok: false, reason: 'free_minute_limit', allowance } },
  { ok: true, result: { ok: false, reason: 'free_daily_limit', allowance, isOfAddress: true } },
  { ok: false, error: 'a "rule" is broken' },
];

test('answers', () => {
  const text = encodeAnswers(3, ANSWERS);
  expect(decodeAnswers(text ?? '')).toEqual({ id: 3, decided: ANSWERS });
});

test('failures', () => {
  const failures: Decided[] = [
    { ok: false, error: 'the disk is full', unavailable: true },
    { ok: false, error: 'locked', lockedPages: ['wallets:acc_1'] },
  ];
  expect(decodeAnswers(encodeAnswers(3, failures) ?? '')).toEqual({ id: 3, decided: failures });
});

test('an answer with other money goes as it is', () => {
  const others: Decided[] = [
    { ok: true, result: { ok: true, balance: 1n } },
    { ok: true, result: { ok: false, reason: 'budget_in_use', needed: 1n, available: 0n, affordableTokens: 7 } },
    {
      ok: true,
      result: { state: 'closed', charged: 1n, writtenOff: 2n, balance: 3n, lossGuard: 'beyond', freeLosses: 0n },
    },
  ];
  for (const other of others) expect(encodeAnswers(3, [...ANSWERS, other])).toBeUndefined();
});
