// Opens a paid call in a store and closes it with a given rule, cost and losses, as the relay would.

import { randomUUID } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../../src/kit/clock.ts';
import type { CloseResult, Losses } from '../../src/store/operations.ts';
import { type ChargeRule, type Loss, NO_BUCKETS } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestAccount } from './gateway.ts';

interface Closing {
  held?: bigint;
  cost?: bigint;
  rule?: ChargeRule;
  upstreamCost?: bigint | null;
  losses?: Losses;
  at?: number;
}

/** NT$0.3 lost, for which NT$0.4 would be charged. */
export function loss(fields: Partial<Loss> = {}): Loss {
  const amounts = { amount: 300_000_000n, charge: 400_000_000n };
  return { reason: 'empty_answer', model: 'up-paid', channel: 'up', ...amounts, ...fields };
}

export async function closeCall(
  store: Store,
  account: Pick<TestAccount, 'accountId' | 'keyId'>,
  { held = 500_000_000n, cost = 0n, rule, upstreamCost, losses, at = Date.now() }: Closing,
): Promise<{ requestId: string; closed: CloseResult }> {
  const { accountId, keyId } = account;
  const requestId = await openCall(store, account, held, at);
  const closed = await store.commit('settle', {
    requestId,
    accountId,
    keyId,
    cost,
    losses,
    outcome: {
      at,
      status: 'ok',
      channel: 'up',
      buckets: NO_BUCKETS,
      reasoning: 0,
      estimated: false,
      firstTokenMs: null,
      totalMs: 1,
      attempts: [],
      rule,
      upstreamCost,
    },
  });
  return { requestId, closed };
}

/** A call whose node died two hours ago: the next sweep finds it. */
export function abandonCall(
  store: Store,
  account: Pick<TestAccount, 'accountId' | 'keyId'>,
  held: bigint,
): Promise<string> {
  return openCall(store, account, held, Date.now() - 2 * HOUR_MS);
}

async function openCall(
  store: Store,
  { accountId, keyId }: Pick<TestAccount, 'accountId' | 'keyId'>,
  held: bigint,
  at: number,
): Promise<string> {
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  const nodeId = `node_of_${requestId}`;
  await store.commit('lease', { nodeId, host: 'elsewhere', pid: 1, expiresAt: at + MINUTE_MS });
  const admitted = await store.commit('admit', {
    requestId,
    accountId,
    keyId,
    nodeId,
    at,
    model: 'up-paid',
    endpoint: '/v1/chat/completions',
    stream: false,
    revision: 1,
    charge: {
      free: false,
      hold: { base: held, unit: 0n, wanted: 1, least: 1 },
      limits: { perMinute: 1_000, inFlight: 1_000 },
    },
  });
  if (!admitted.ok) throw new Error(admitted.reason);
  return requestId;
}
