// Operations as a gateway would submit them, with everything that a test does not care about filled in.

import type { AdmitInput, Outcome, RegisterInput, ReleaseInput, SettleInput } from '../../../src/store/operations.ts';
import { NO_BUCKETS } from '../../../src/store/rows.ts';

export const NOW = Date.UTC(2026, 2, 1, 4, 0, 0);
export const TRIAL = 1_000_000_000n;
export const NODE = 'node_test';
const MINUTE_MS = 60_000;

let count = 0;
export const newId = (prefix: string) => `${prefix}_${String(++count).padStart(6, '0')}`;

export function registration(rest: Partial<RegisterInput> = {}): RegisterInput {
  const accountId = rest.accountId ?? newId('acc');
  return {
    accountId,
    key: {
      keyId: `key_${accountId}`,
      accountId,
      hash: `hash of ${accountId}`,
      last4: 'abcd',
      name: null,
      manage: true,
      models: null,
      dailyBudget: null,
      expiresAt: null,
      createdAt: NOW,
      revokedAt: null,
      oldHash: null,
      oldHashUntil: null,
      parentId: null,
      depth: 0,
      delegate: false,
      limits: {},
    },
    address: `address of ${accountId}`,
    at: NOW,
    trial: TRIAL,
    limits: { perAddress: 3, perDay: 1_000_000 },
    ...rest,
  };
}

export const lease = (nodeId = NODE, expiresAt = NOW + 10 * MINUTE_MS) => ({ nodeId, host: 'host', pid: 1, expiresAt });

export function paid(accountId: string, amount: bigint, rest: Partial<AdmitInput> = {}): AdmitInput {
  return {
    ...admission(accountId),
    charge: {
      free: false,
      hold: { base: amount, unit: 0n, wanted: 16, least: 16 },
      limits: { perMinute: 1_000_000, inFlight: 1_000_000 },
    },
    ...rest,
  };
}

export function free(accountId: string, rest: Partial<AdmitInput> = {}): AdmitInput {
  const limits = { perMinute: 1_000_000, perDayZero: 1_000_000, perDayPositive: 1_000_000, inFlight: 1_000_000 };
  return { ...admission(accountId), charge: { free: true, limits }, ...rest };
}

function admission(accountId: string): Omit<AdmitInput, 'charge'> {
  return {
    requestId: newId('req'),
    accountId,
    keyId: `key_${accountId}`,
    nodeId: NODE,
    at: NOW,
    model: 'm',
    endpoint: '/v1/chat/completions',
    stream: false,
    revision: 1,
  };
}

export function settlement({ requestId, accountId, keyId }: AdmitInput, cost: bigint): SettleInput {
  return { requestId, accountId, keyId, cost, outcome: outcome('ok') };
}

export function release({ requestId, accountId, keyId }: AdmitInput, giveBackSlots = true): ReleaseInput {
  return { requestId, accountId, keyId, giveBackSlots, outcome: outcome('upstream_failed') };
}

function outcome(status: Outcome['status']): Outcome {
  return {
    at: NOW + 1,
    status,
    channel: 'up',
    buckets: { ...NO_BUCKETS, input: 3, output: 4 },
    reasoning: 0,
    estimated: false,
    firstTokenMs: 5,
    totalMs: 6,
    attempts: [{ channel: 'up', outcome: 'ok', ms: 6 }],
  };
}
