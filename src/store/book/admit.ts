// Admission: the limit slots and the hold are taken together or not at all. A paid request gets as many output tokens
// as the available balance can pay, so an overdraft cannot happen; a free one never touches money.

import { assert } from '../../kit/assert.ts';
import { MINUTE_MS } from '../../kit/clock.ts';
import { maxNano, minNano, type Nano } from '../../kit/money.ts';
import type { AddressLimit, AdmitInput, AdmitResult, FreeLimits, HoldRequest, MoneyReason } from '../operations.ts';
import type { Wallet } from '../rows.ts';
import { addressWindow } from './address-windows.ts';
import type { Book, Touch } from './book.ts';
import { budgetAt, holdBudget } from './budgets.ts';
import {
  type Allowance,
  dayAllowance,
  EMPTY_WINDOW,
  rollingAllowance,
  takeDay,
  takeRolling,
  tighterOf,
} from './windows.ts';

/** Paid slots share one entry per second, which keeps their window small; a slot counts up to one second longer. */
export const PAID_GRAIN_MS = 1_000;
/** A full minute of them, and a little more: what a clock that leapt ahead for a moment may come back to. */
const PAID_KEEP_ENTRIES = 64;

export function requestWindow(accountId: string, free: boolean): string {
  return `${free ? 'free' : 'paid'}:${accountId}`;
}

export function freeAddressWindow(address: string): string {
  return addressWindow('free', address);
}

export function admitTouches(input: AdmitInput): Touch[] {
  const byAddress = input.charge.free ? input.charge.limits.perAddress : undefined;
  return [
    { table: 'leases', id: input.nodeId },
    { table: 'windows', id: requestWindow(input.accountId, input.charge.free) },
    ...(byAddress ? [{ table: 'windows', id: freeAddressWindow(byAddress.address) } as const] : []),
    { table: 'wallets', id: input.accountId },
    { table: 'holds', id: input.requestId },
    ...(input.charge.free ? [] : [{ table: 'budgets', id: input.keyId } as const]),
  ];
}

export function admit(book: Book, input: AdmitInput): AdmitResult {
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

function admitFree(book: Book, input: AdmitInput, wallet: Wallet, limits: FreeLimits): AdmitResult {
  const { at } = input;
  const windowId = requestWindow(input.accountId, true);
  const window = book.get('windows', windowId) ?? EMPTY_WINDOW;
  const perDay = wallet.balance > 0n ? limits.perDayPositive : limits.perDayZero;
  const day = dayAllowance(window, at, perDay);
  if (day.remaining < 1) return { ok: false, reason: 'free_daily_limit', allowance: day };
  const minute = rollingAllowance(window, at, MINUTE_MS, limits.perMinute);
  if (minute.remaining < 1) return { ok: false, reason: 'free_minute_limit', allowance: minute };
  if (wallet.freeInFlight >= limits.inFlight) return tooManyInFlight(limits.inFlight, wallet.freeInFlight, at);
  const refused = limits.perAddress && takeAddressSlot(book, limits.perAddress, at);
  if (refused) return { ok: false, reason: 'free_daily_limit', allowance: refused, isOfAddress: true };

  const taken = takeDay(takeRolling(window, at, MINUTE_MS, { keep: 2 * limits.perMinute }), at);
  book.put('windows', windowId, taken);
  book.put('wallets', wallet.accountId, { ...wallet, freeInFlight: wallet.freeInFlight + 1, touchedAt: at });
  openHold(book, input, 0n);
  const minuteLeft = rollingAllowance(taken, at, MINUTE_MS, limits.perMinute);
  const dayLeft = dayAllowance(taken, at, perDay);
  return {
    ok: true,
    held: 0n,
    granted: Number.MAX_SAFE_INTEGER,
    balance: wallet.balance,
    allowance: tighterOf(minuteLeft, dayLeft),
  };
}

/** The allowance that is used up; undefined when the slot is taken. */
function takeAddressSlot(book: Book, { address, perDay }: AddressLimit, at: number): Allowance | undefined {
  const id = freeAddressWindow(address);
  const window = book.get('windows', id) ?? EMPTY_WINDOW;
  const allowance = dayAllowance(window, at, perDay);
  if (allowance.remaining < 1) return allowance;
  book.put('windows', id, takeDay(window, at));
  return undefined;
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
  const window = book.get('windows', windowId) ?? EMPTY_WINDOW;
  const minute = rollingAllowance(window, at, MINUTE_MS, limits.perMinute);
  if (minute.remaining < 1) return { ok: false, reason: 'rate_limited', allowance: minute };
  if (wallet.inFlight >= limits.inFlight) return tooManyInFlight(limits.inFlight, wallet.inFlight, at);

  const budget = budgetFor(book, input);
  const inWallet = wallet.balance - wallet.held;
  const available = budget ? minNano(inWallet, budget.left) : inWallet;
  const granted = affordableTokens(hold, available);
  if (granted < hold.least) return refuseForMoney(hold, wallet, available, budget);
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
  holdBudget(book, input.keyId, amount, at);
  openHold(book, input, amount);
  return {
    ok: true,
    held: amount,
    granted,
    balance: wallet.balance,
    allowance: rollingAllowance(taken, at, MINUTE_MS, limits.perMinute),
  };
}

interface BudgetToday {
  /** What was not spent today; running calls may hold some of it. */
  unspent: Nano;
  /** What neither was spent nor is held. */
  left: Nano;
}

/** Undefined if the key has no budget. */
function budgetFor(book: Book, { budget, keyId, at }: AdmitInput): BudgetToday | undefined {
  if (budget === null) return undefined;
  const { spent, held } = budgetAt(book, keyId, at);
  return { unspent: budget - spent, left: maxNano(0n, budget - spent - held) };
}

function refuseForMoney(
  hold: HoldRequest,
  wallet: Wallet,
  available: Nano,
  budget: BudgetToday | undefined,
): AdmitResult {
  const needed = hold.base + hold.unit * BigInt(hold.least);
  return {
    ok: false,
    reason: moneyReason(needed, wallet, budget),
    needed,
    available,
    affordableTokens: Math.max(0, affordableTokens(hold, available)),
  };
}

/** The budget is named first: whatever is added to the wallet, a key whose budget is too low cannot spend it. */
function moneyReason(needed: Nano, wallet: Wallet, budget: BudgetToday | undefined): MoneyReason {
  if (budget && needed > budget.unspent) return 'key_budget_exceeded';
  if (needed > wallet.balance) return 'insufficient_balance';
  return budget && needed > budget.left ? 'budget_in_use' : 'balance_in_use';
}

/** How many output tokens the money pays for, up to what is wanted; -1 if not even the input. */
function affordableTokens(hold: HoldRequest, money: bigint): number {
  if (money < hold.base) return -1;
  if (hold.unit === 0n) return hold.wanted;
  const tokens = (money - hold.base) / hold.unit;
  return tokens < BigInt(hold.wanted) ? Number(tokens) : hold.wanted;
}

function openHold(book: Book, input: AdmitInput, amount: bigint): void {
  const { requestId, accountId, keyId, nodeId, model, endpoint, stream, revision } = input;
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
    budgeted: !input.charge.free,
    chain: null,
  });
}

function tooManyInFlight(limit: number, used: number, at: number): AdmitResult {
  const allowance: Allowance = { limit, used, remaining: 0, resetsAt: at };
  return { ok: false, reason: 'too_many_in_flight', allowance };
}
