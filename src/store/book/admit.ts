// Admission: the limit slots and the hold are taken together or not at all. A paid request gets as many output tokens
// as the available balance and every budget of its chain of keys can pay, so an overdraft cannot happen; a free one never
// touches money.

import { assert } from '../../kit/assert.ts';
import { MINUTE_MS } from '../../kit/clock.ts';
import { minNano, type Nano } from '../../kit/money.ts';
import type {
  AdmitInput,
  AdmitResult,
  BudgetState,
  FreeLimits,
  HoldRequest,
  LimitRefusal,
  TokenRequest,
} from '../admission.ts';
import type { HeldChain, Wallet } from '../rows.ts';
import type { Book, Operations, Touch } from './book.ts';
import {
  budgetsOf,
  budgetTouches,
  holdBudgets,
  isNearLimit,
  type Level,
  leftOf,
  levelsOf,
  unspentOf,
} from './budgets.ts';
import {
  type RatesLeft,
  type RatesTaken,
  ratedLevels,
  rateTouches,
  refuseRates,
  refuseTokens,
  takeRates,
  tokensLeft,
} from './key-rates.ts';
import {
  type Allowance,
  addressWindow,
  dayAllowance,
  rollingAllowance,
  takeDay,
  takeDaySlot,
  takeRolling,
  tighterOf,
  windowOf,
} from './windows.ts';

/** Paid slots share one entry per second, which keeps their window small; a slot counts up to one second longer. */
export const PAID_GRAIN_MS = 1_000;
/** A full minute of entries and a few more, in case the clock was briefly ahead. */
const PAID_KEEP_ENTRIES = 64;

export const ADMISSION = {
  admit: { touches: admitTouches, decide: admit },
  previewAdmit: { touches: admitTouches, decide: previewAdmit },
} satisfies Operations;

export function requestWindow(accountId: string, free: boolean): string {
  return `${free ? 'free' : 'paid'}:${accountId}`;
}

export function freeAddressWindow(address: string): string {
  return addressWindow('free', address);
}

function admitTouches(input: AdmitInput): Touch[] {
  const byAddress = input.charge.free ? input.charge.limits.perAddress : undefined;
  return [
    { table: 'leases', id: input.nodeId },
    { table: 'windows', id: requestWindow(input.accountId, input.charge.free) },
    ...(byAddress ? [{ table: 'windows', id: freeAddressWindow(byAddress.address) } as const] : []),
    { table: 'wallets', id: input.accountId },
    { table: 'holds', id: input.requestId },
    ...(isCounted(input) ? budgetTouches(input) : []),
    ...rateTouches(input.chain),
  ];
}

/** Whether the pages of the chain count this call: a free one only where a key has rates. */
function isCounted({ charge, chain }: AdmitInput): boolean {
  return !charge.free || (chain !== undefined && chain.rated.length > 0);
}

function admit(book: Book, input: AdmitInput): AdmitResult {
  const lease = book.get('leases', input.nodeId);
  if (!lease || lease.expiresAt <= input.at) return { ok: false, reason: 'lease_lost' };
  const wallet = book.get('wallets', input.accountId);
  if (!wallet) return { ok: false, reason: 'account_unknown' };
  assert(!book.get('holds', input.requestId), 'a request is admitted once');
  if (wallet.frozen) return { ok: false, reason: 'wallet_frozen' };
  return input.charge.free
    ? admitFree(book, input, wallet, input.charge.limits)
    : admitPaid(book, input, wallet, input.charge.hold, input.charge.limits);
}

/** The result that an admission would have now. Reserves nothing. */
function previewAdmit(book: Book, input: AdmitInput): AdmitResult {
  return book.preview(() => admit(book, input));
}

function admitFree(book: Book, input: AdmitInput, wallet: Wallet, limits: FreeLimits): AdmitResult {
  const { at } = input;
  const windowId = requestWindow(input.accountId, true);
  const window = windowOf(book, windowId);
  const perDay = wallet.balance > 0n ? limits.perDayPositive : limits.perDayZero;
  const day = dayAllowance(window, at, perDay);
  if (day.remaining < 1) return { ok: false, reason: 'free_daily_limit', allowance: day };
  const minute = rollingAllowance(window, at, MINUTE_MS, limits.perMinute);
  if (minute.remaining < 1) return { ok: false, reason: 'free_minute_limit', allowance: minute };
  if (wallet.freeInFlight >= limits.inFlight) return tooManyInFlight(limits.inFlight, wallet.freeInFlight, at);
  const levels = isCounted(input) ? levelsOf(book, input, at) : [];
  const rates = tryRates(book, input, ratedLevels(levels, input.chain), Number.MAX_SAFE_INTEGER);
  if (!rates.ok) return rates;
  const { perAddress } = limits;
  const refused = perAddress && takeDaySlot(book, freeAddressWindow(perAddress.address), at, perAddress.perDay);
  if (refused) return { ok: false, reason: 'free_daily_limit', allowance: refused, isOfAddress: true };

  const taken = takeDay(takeRolling(window, at, MINUTE_MS, { keep: 2 * limits.perMinute }), at);
  book.put('windows', windowId, taken);
  book.put('wallets', wallet.accountId, { ...wallet, freeInFlight: wallet.freeInFlight + 1, touchedAt: at });
  holdBudgets(book, levels, NO_SESSIONS, 0n, at);
  openHold(book, input, 0n, rates.tokens);
  const minuteLeft = rollingAllowance(taken, at, MINUTE_MS, limits.perMinute);
  const dayLeft = dayAllowance(taken, at, perDay);
  const result = admitted(0n, rates.granted, wallet.balance, tighterOf(minuteLeft, dayLeft));
  return withRates(result, rates.tokens, takeRates(book, rates, at));
}

function admitPaid(
  book: Book,
  input: AdmitInput,
  wallet: Wallet,
  hold: HoldRequest,
  limits: { perMinute: number; inFlight: number },
): AdmitResult {
  const { at } = input;
  const windowId = requestWindow(input.accountId, false);
  const window = windowOf(book, windowId);
  const minute = rollingAllowance(window, at, MINUTE_MS, limits.perMinute);
  if (minute.remaining < 1) return { ok: false, reason: 'rate_limited', allowance: minute };
  if (wallet.inFlight >= limits.inFlight) return tooManyInFlight(limits.inFlight, wallet.inFlight, at);

  const levels = levelsOf(book, input, at);
  const rated = ratedLevels(levels, input.chain);
  const budgets = budgetsOf(book, levels, input.chain?.sessions);
  let available = wallet.balance - wallet.held;
  for (const budget of budgets) available = minNano(available, leftOf(budget));
  const affordable = affordableTokens(hold, available);
  if (affordable < hold.least) {
    return refuseRates(book, rated, at) ?? refuseForMoney(hold, wallet, available, budgets);
  }
  const rates = tryRates(book, input, rated, affordable);
  if (!rates.ok) return rates;
  const { granted } = rates;
  const amount = hold.base + hold.unit * BigInt(granted);
  assert(amount <= available, 'a hold never exceeds what is available');

  const taken = takeRolling(window, at, MINUTE_MS, {
    grainMs: PAID_GRAIN_MS,
    keep: 2 * limits.perMinute,
    keepEntries: PAID_KEEP_ENTRIES,
  });
  book.put('windows', windowId, taken);
  book.put('wallets', wallet.accountId, {
    ...wallet,
    held: wallet.held + amount,
    inFlight: wallet.inFlight + 1,
    touchedAt: at,
  });
  holdBudgets(book, levels, input.chain?.sessions ?? NO_SESSIONS, amount, at);
  openHold(book, input, amount, rates.tokens);
  const minuteLeft = rollingAllowance(taken, at, MINUTE_MS, limits.perMinute);
  const result = withRates(
    admitted(amount, granted, wallet.balance, minuteLeft),
    rates.tokens,
    takeRates(book, rates, at),
  );
  const nearBudgets = budgets.filter((budget) => isNearLimit(budget, amount));
  return nearBudgets.length > 0 ? { ...result, nearBudgets } : result;
}

const NO_SESSIONS: readonly string[] = [];

type Admitted = Extract<AdmitResult, { ok: true }>;

function admitted(held: Nano, granted: number, balance: Nano, allowance: Allowance): Admitted {
  return { ok: true, held, granted, balance, allowance };
}

/** Adds the allowances of the keys' rates, if they have less left than the account, or count tokens. */
function withRates(result: Admitted, takenTokens: number, left: RatesLeft | undefined): Admitted {
  if (!left) return result;
  const allowance = left.requests ? tighterOf(result.allowance, left.requests) : result.allowance;
  return { ...result, allowance, ...(left.tokens ? { tokenAllowance: left.tokens, takenTokens } : {}) };
}

interface Rates extends RatesTaken {
  ok: true;
  /** Output tokens: no more than the rates have left. */
  granted: number;
}

/** Checks the rates of the chain; takes nothing yet. */
function tryRates(
  book: Book,
  { tokens: asked = NO_TOKENS, at }: AdmitInput,
  levels: readonly Level[],
  affordable: number,
): Rates | LimitRefusal {
  if (levels.length === 0) return { ok: true, levels, granted: affordable, tokens: 0 };
  const refused = refuseRates(book, levels, at);
  if (refused) return refused;
  const left = tokensLeft(book, levels, asked, at);
  const granted = Math.min(affordable, left);
  // A call that does not fit is refused with the least that it needs.
  const output = Math.max(asked.least, Math.min(granted, asked.wanted));
  const tokens = asked.input + asked.perOutput * output;
  const refusedTokens = refuseTokens(book, levels, { tokens, fitting: Math.max(0, left) }, at);
  return refusedTokens ?? { ok: true, levels, granted, tokens };
}

const NO_TOKENS: TokenRequest = { input: 0, perOutput: 0, wanted: 0, least: 0 };

function openHold(book: Book, input: AdmitInput, amount: bigint, tokens: number): void {
  const { requestId, accountId, keyId, nodeId, model, endpoint, stream, revision, chain } = input;
  const held: HeldChain | null = chain ? { ...chain, tokens } : null;
  book.put('holds', requestId, {
    requestId,
    accountId,
    keyId,
    nodeId,
    amount,
    free: input.charge.free,
    model,
    endpoint,
    stream,
    revision,
    openedAt: input.at,
    budgeted: isCounted(input),
    chain: held,
  });
}

function tooManyInFlight(limit: number, used: number, at: number): AdmitResult {
  const allowance: Allowance = { limit, used, remaining: 0, resetsAt: at };
  return { ok: false, reason: 'too_many_in_flight', allowance };
}

/** The output tokens that the money pays for, up to `wanted`; -1 if it does not even pay for the input. */
function affordableTokens(hold: HoldRequest, money: Nano): number {
  if (money < hold.base) return -1;
  if (hold.unit === 0n) return hold.wanted;
  const tokens = (money - hold.base) / hold.unit;
  return tokens < BigInt(hold.wanted) ? Number(tokens) : hold.wanted;
}

/**
 * Why there is not enough money: a budget of the key chain or the wallet, and whether running calls hold the missing amount.
 * `budgets`: those of the key itself first. A budget is reported before the wallet, because adding money does not help a key
 * whose budget is too low.
 */
function refuseForMoney(
  hold: HoldRequest,
  wallet: Wallet,
  available: Nano,
  budgets: readonly BudgetState[],
): AdmitResult {
  const needed = hold.base + hold.unit * BigInt(hold.least);
  const rest = { needed, available, affordableTokens: Math.max(0, affordableTokens(hold, available)) };
  const exceeded = tightest(budgets.filter((budget) => needed > unspentOf(budget)));
  if (exceeded) return { ok: false, reason: 'key_budget_exceeded', ...rest, short: exceeded, budgets };
  if (needed > wallet.balance) return { ok: false, reason: 'insufficient_balance', ...rest };
  const inUse = tightest(budgets.filter((budget) => needed > leftOf(budget)));
  if (inUse) return { ok: false, reason: 'budget_in_use', ...rest, short: inUse };
  return { ok: false, reason: 'balance_in_use', ...rest };
}

/** The one with the least left. */
function tightest(budgets: readonly BudgetState[]): BudgetState | undefined {
  let found: BudgetState | undefined;
  for (const budget of budgets) if (!found || leftOf(budget) < leftOf(found)) found = budget;
  return found;
}
