// The operations that the benches of the ledger commit: registrations, and for each call a hold and its settlement.

import type { AdmitInput, RegisterInput, SettleInput } from '../../src/store/operations.ts';
import { NO_BUCKETS } from '../../src/store/rows.ts';

export const ACCOUNTS = 2_000;
export const TRIAL = 1_000_000_000_000n;
export const COST = 512_345n;
const HOLD = { base: 110_000n, unit: 40_123n, wanted: 100, least: 16 };

let count = 0;

/** A paid call of the account, which takes a hold. */
export function newRequest(nodeId: string, account: number): AdmitInput {
  const accountId = accountOf(account);
  return {
    requestId: `req_${nodeId}_${String(count++).padStart(20, '0')}`,
    accountId,
    keyId: `key_${accountId}`,
    nodeId,
    at: Date.now(),
    model: 'gpt-5-mini',
    endpoint: '/v1/chat/completions',
    stream: true,
    revision: 1,
    charge: { free: false, hold: HOLD, limits: { perMinute: 1_000_000, inFlight: 1_000_000 } },
  };
}

/** Each costs the same. */
export function settlement({ requestId, accountId, keyId }: AdmitInput): SettleInput {
  return {
    requestId,
    accountId,
    keyId,
    cost: COST,
    outcome: {
      at: Date.now(),
      status: 'ok',
      channel: 'openai-main',
      buckets: { ...NO_BUCKETS, input: 11, output: 10 },
      reasoning: 0,
      estimated: false,
      firstTokenMs: 120,
      totalMs: 900,
      attempts: [{ channel: 'openai-main', outcome: 'ok', ms: 880 }],
    },
  };
}

export function accountOf(index: number): string {
  return `acc_${String(index).padStart(26, '0')}`;
}

export function registration(accountId: string, at: number): RegisterInput {
  const key = {
    keyId: `key_${accountId}`,
    accountId,
    hash: `hash_${accountId}`,
    last4: 'last',
    name: null,
    manage: true,
    models: null,
    dailyBudget: null,
    expiresAt: null,
    createdAt: at,
    revokedAt: null,
    oldHash: null,
    oldHashUntil: null,
    parentId: null,
    depth: 0,
    delegate: false,
    limits: {},
  };
  const limits = { perAddress: 1_000_000, perDay: 1_000_000 };
  return { accountId, key, address: accountId, at, trial: TRIAL, limits };
}
