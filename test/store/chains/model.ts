// What keys below keys must do, in the plainest way: every sum is taken anew from the list of all requests. It shares types
// with the store and none of its logic. The clock only runs ahead here.

import type { KeyLimits } from '../../../src/store/key-limits.ts';
import type { BudgetKind } from '../../../src/store/operations.ts';

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface ModelKey {
  keyId: string;
  parentId: string | null;
  isRevoked: boolean;
  dailyBudget: bigint | null;
  limits: KeyLimits;
}

export interface ModelCall {
  requestId: string;
  keyId: string;
  session: string;
  amount: bigint;
  tokens: number;
  openedAt: number;
  /** Whether its slots still count. */
  hasSlots: boolean;
  usedTokens: number;
  closed?: { at: number; cost: bigint };
}

export interface Verdict {
  ok: boolean;
  /** Each budget that refuses, as kind and key. */
  short: string[];
  /** Each rate that refuses, as what it counts and key. */
  rates: string[];
}

export class ChainModel {
  readonly keys = new Map<string, ModelKey>();
  readonly calls: ModelCall[] = [];

  /** The key itself first. */
  chain(keyId: string): ModelKey[] {
    const key = this.keys.get(keyId);
    if (!key) return [];
    return key.parentId === null ? [key] : [key, ...this.chain(key.parentId)];
  }

  isBelow(keyId: string, above: string): boolean {
    return this.chain(keyId).some((one) => one.keyId === above);
  }

  spent(keyId: string, from: number, session?: string): bigint {
    return sum(this.#of(keyId, session).map(({ closed }) => (closed && closed.at >= from ? closed.cost : 0n)));
  }

  held(keyId: string, session?: string): bigint {
    return sum(this.#of(keyId, session).map(({ amount, closed }) => (closed ? 0n : amount)));
  }

  running(keyId: string): number {
    return this.#of(keyId).filter(({ closed }) => !closed).length;
  }

  judge(keyId: string, session: string, amount: bigint, tokens: number, at: number): Verdict {
    const short: string[] = [];
    const rates: string[] = [];
    for (const key of this.chain(keyId)) {
      const { dailyBudget, limits } = key;
      const check = (kind: BudgetKind, limit: bigint | null | undefined, from: number, of?: string) => {
        // A call that may cost nothing takes nothing of a budget, whatever is left of it.
        if (limit === null || limit === undefined || amount === 0n) return;
        if (this.spent(key.keyId, from, of) + this.held(key.keyId, of) + amount > limit)
          short.push(`${kind} ${key.keyId}`);
      };
      check('day', dailyBudget, dayStart(at));
      check('month', limits.monthBudget, monthStart(at));
      check('total', limits.totalBudget, 0);
      check('session', limits.sessionBudget, 0, session);
      const { requestsPerMinute: requests, tokensPerMinute: perMinute, inFlight } = limits;
      const recent = this.#of(key.keyId).filter(
        ({ openedAt, hasSlots }) => hasSlots && secondOf(openedAt) + MINUTE > at,
      );
      if (requests !== undefined && recent.length >= requests) rates.push(`requests ${key.keyId}`);
      const used = recent.reduce((total, call) => total + (call.closed ? call.usedTokens : call.tokens), 0);
      if (perMinute !== undefined && used + tokens > perMinute) rates.push(`tokens ${key.keyId}`);
      if (inFlight !== undefined && this.running(key.keyId) >= inFlight) rates.push(`in_flight ${key.keyId}`);
    }
    return { ok: short.length === 0 && rates.length === 0, short, rates };
  }

  /** The calls of a key and of those below it. */
  #of(keyId: string, session?: string): ModelCall[] {
    return this.calls.filter(
      (call) => this.isBelow(call.keyId, keyId) && (session === undefined || call.session === session),
    );
  }
}

export function dayStart(at: number): number {
  return Math.floor((at + 8 * HOUR) / (24 * HOUR)) * 24 * HOUR - 8 * HOUR;
}

export function monthStart(at: number): number {
  const there = new Date(at + 8 * HOUR);
  return Date.UTC(there.getUTCFullYear(), there.getUTCMonth(), 1) - 8 * HOUR;
}

function secondOf(at: number): number {
  return Math.ceil(at / 1_000) * 1_000;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
