// The rates of keys: requests and tokens in a rolling minute, and running calls. They count for a key and all its ancestors
// with rates. A call takes what it may use at most, and gives back at its end what it did not use.

import { MINUTE_MS } from '../../kit/clock.ts';
import type { LimitRefusal, RequestRef, TokenRequest } from '../admission.ts';
import type { Buckets, Hold } from '../rows.ts';
import type { Book, Touch } from './book.ts';
import type { Level } from './budgets.ts';
import { type Allowance, changeSlot, rollingAllowance, takeRolling, tighterOf, windowOf } from './windows.ts';

/** As for the paid calls of an account: one entry for each second. */
const GRAIN_MS = 1_000;
const KEEP_ENTRIES = 64;

const requestsWindow = (keyId: string) => `key-requests:${keyId}`;
const tokensWindow = (keyId: string) => `key-tokens:${keyId}`;

export function rateTouches(chain: RequestRef['chain']): Touch[] {
  return chain ? [...chain.rated.map(requestsWindow).map(toTouch), ...tokenTouches(chain)] : [];
}

export function tokenTouches(chain: RequestRef['chain']): Touch[] {
  return chain ? chain.rated.map(tokensWindow).map(toTouch) : [];
}

function toTouch(id: string): Touch {
  return { table: 'windows', id };
}

const NONE: readonly Level[] = [];

/** The keys of the chain whose rates count this call. */
export function ratedLevels(levels: readonly Level[], chain: RequestRef['chain']): readonly Level[] {
  return chain && chain.rated.length > 0 ? levels.filter(({ keyId }) => chain.rated.includes(keyId)) : NONE;
}

/** Undefined if each has a slot for one more call. */
export function refuseRates(book: Book, rated: readonly Level[], at: number): LimitRefusal | undefined {
  for (const { keyId, page } of rated) {
    const { requestsPerMinute, inFlight } = page.limits ?? {};
    if (requestsPerMinute !== undefined) {
      const allowance = rollingAllowance(windowOf(book, requestsWindow(keyId)), at, MINUTE_MS, requestsPerMinute);
      if (allowance.remaining < 1)
        return { ok: false, reason: 'rate_limited', allowance, ofKey: { keyId, counts: 'requests' } };
    }
    if (inFlight !== undefined && page.inFlight >= inFlight) {
      const allowance = { limit: inFlight, used: page.inFlight, remaining: 0, resetsAt: at };
      return { ok: false, reason: 'too_many_in_flight', allowance, ofKey: { keyId, counts: 'in_flight' } };
    }
  }
  return undefined;
}

/** How many output tokens these rates leave for a call in this minute; negative if not even its input fits. */
export function tokensLeft(
  book: Book,
  rated: readonly Level[],
  { input, perOutput }: TokenRequest,
  at: number,
): number {
  let most = Number.MAX_SAFE_INTEGER;
  for (const { keyId, page } of rated) {
    const limit = page.limits?.tokensPerMinute;
    if (limit === undefined) continue;
    const left = rollingAllowance(windowOf(book, tokensWindow(keyId)), at, MINUTE_MS, limit).remaining - input;
    if (perOutput > 0 || left < 0) most = Math.min(most, Math.floor(left / Math.max(1, perOutput)));
  }
  return most;
}

/** Undefined if each has so many tokens left. `fitting`: the output tokens that are left. */
export function refuseTokens(
  book: Book,
  rated: readonly Level[],
  { tokens, fitting }: { tokens: number; fitting: number },
  at: number,
): LimitRefusal | undefined {
  for (const { keyId, page } of rated) {
    const limit = page.limits?.tokensPerMinute;
    if (limit === undefined) continue;
    const allowance = rollingAllowance(windowOf(book, tokensWindow(keyId)), at, MINUTE_MS, limit, tokens);
    if (allowance.remaining < tokens)
      return {
        ok: false,
        reason: 'rate_limited',
        allowance,
        ofKey: { keyId, counts: 'tokens', needed: tokens, fitting },
      };
  }
  return undefined;
}

export interface RatesTaken {
  /** The keys of the chain with rates. */
  levels: readonly Level[];
  /** Tokens that the call reserves from the rate. */
  tokens: number;
}

/** Requests and tokens left afterwards, each for the key with the fewest. */
export interface RatesLeft {
  requests?: Allowance;
  tokens?: Allowance;
}

/** Takes from both windows even if only one is limited, so that both can be given back. Undefined if no key has rates. */
export function takeRates(book: Book, { levels, tokens }: RatesTaken, at: number): RatesLeft | undefined {
  if (levels.length === 0) return undefined;
  const left: RatesLeft = {};
  for (const { keyId, page } of levels) {
    const { requestsPerMinute, tokensPerMinute } = page.limits ?? {};
    const requests = take(book, requestsWindow(keyId), at, requestsPerMinute, 1);
    if (requests) left.requests = left.requests ? tighterOf(left.requests, requests) : requests;
    const ofTokens = take(book, tokensWindow(keyId), at, tokensPerMinute, tokens);
    if (ofTokens) left.tokens = left.tokens ? tighterOf(left.tokens, ofTokens) : ofTokens;
  }
  return left;
}

function take(book: Book, id: string, at: number, limit: number | undefined, count: number): Allowance | undefined {
  const taking = { grainMs: GRAIN_MS, keep: 2 * (limit ?? 0), keepEntries: KEEP_ENTRIES, count };
  const taken = takeRolling(windowOf(book, id), at, MINUTE_MS, taking);
  book.put('windows', id, taken);
  return limit === undefined ? undefined : rollingAllowance(taken, at, MINUTE_MS, limit);
}

/** The call used so many tokens of those it took; none if its slots are given back. */
export function closeRates(book: Book, hold: Hold, used: Buckets | undefined): void {
  const { chain, openedAt } = hold;
  if (!chain) return;
  const tokens = used ? tokensOf(used) : 0;
  for (const keyId of chain.rated) {
    change(book, tokensWindow(keyId), openedAt, tokens - chain.tokens);
    if (!used) change(book, requestsWindow(keyId), openedAt, -1);
  }
}

function change(book: Book, id: string, takenAt: number, by: number): void {
  if (by !== 0) book.put('windows', id, changeSlot(windowOf(book, id), takenAt, GRAIN_MS, by));
}

/** Reasoning is part of the output. */
export function tokensOf({ input, cachedInput, cacheWrite5m, cacheWrite1h, output }: Buckets): number {
  return input + cachedInput + cacheWrite5m + cacheWrite1h + output;
}
