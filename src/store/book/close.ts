// The end of a request: its hold is resolved exactly once, by settle, release or sweep, and becomes its usage record in the
// same transaction; or by undo, and then there was no request. Usage reported beyond the hold is the service's loss, never
// the customer's; losses of other kinds are the house's up to a guard.

import { assert } from '../../kit/assert.ts';
import { MAX_NANO, minNano, NANO_PER_NTD, type Nano } from '../../kit/money.ts';
import type { OptionalTerms } from '../../kit/prices.ts';
import type { RequestRef } from '../admission.ts';
import {
  type Attempt,
  type Buckets,
  type ChargeRule,
  type Hold,
  type Loss,
  NO_BUCKETS,
  type RequestStatus,
} from '../rows.ts';
import { freeAddressWindow, PAID_GRAIN_MS, requestWindow } from './admit.ts';
import { noteBalance } from './balance-low.ts';
import type { Book, Operations, Touch } from './book.ts';
import { budgetTouches, closeBudgets } from './budgets.ts';
import { closeRates, rateTouches, tokenTouches } from './key-rates.ts';
import { bookDeadNode, bookLosses, lossTouches } from './losses.ts';
import { spendFreeFirst } from './money.ts';
import { giveBackDay, giveBackRolling, windowOf } from './windows.ts';

/** How a request ended: the fields of its usage record that its hold does not have. */
export interface Outcome extends OptionalTerms {
  at: number;
  status: RequestStatus;
  /** The model that answered, if a fallback did. */
  model?: string | undefined;
  channel: string | null;
  buckets: Buckets;
  reasoning: number;
  estimated: boolean;
  firstTokenMs: number | null;
  totalMs: number;
  attempts: readonly Attempt[];
  rule?: ChargeRule | undefined;
  /** The upstreams' bill for the usage that the customer pays, losses excluded. Null or absent: the route states no cost. */
  upstreamCost?: Nano | null | undefined;
}

/** The parts of the upstreams' bill for a request that its customer does not pay. */
export interface Losses {
  items: readonly Loss[];
  /** The most that one account may cause on one Taipei day; null: no bound. */
  guard: Nano | null;
}

export interface SettleInput extends RequestRef {
  cost: Nano;
  losses?: Losses | undefined;
  outcome: Outcome;
}

export interface ReleaseInput extends RequestRef {
  losses?: Losses | undefined;
  /** Our own failures give the slots back. */
  giveBackSlots: boolean;
  /** The address whose free slot it took, if addresses are limited. */
  freeAddress?: string | undefined;
  outcome: Outcome;
}

/** Reverts an admission whose result did not arrive: it leaves no usage record. */
export interface UndoInput extends RequestRef {
  freeAddress?: string | undefined;
  at: number;
}

export type CloseResult =
  | {
      state: 'closed';
      charged: Nano;
      writtenOff: Nano;
      balance: Nano;
      /** Losses were charged, because the account has used up its free ones; `reached`: the first time today. */
      lossGuard?: 'reached' | 'beyond' | undefined;
      /** With `lossGuard`: how much of them still was free. */
      freeLosses?: Nano | undefined;
    }
  /** The hold was already resolved: nothing was written. */
  | { state: 'late' };

/** Releases one hold of a node that is gone. */
export interface SweepInput extends RequestRef {
  at: number;
}

export const CLOSES = {
  settle: { touches: settleTouches, decide: settle },
  release: { touches: releaseTouches, decide: release },
  undo: { touches: undoTouches, decide: undo },
  sweep: { touches: sweepTouches, decide: sweep },
} satisfies Operations;

function closeTouches(input: RequestRef): Touch[] {
  return [{ table: 'wallets', id: input.accountId }, ...budgetTouches(input), { table: 'holds', id: input.requestId }];
}

function settleTouches(input: SettleInput): Touch[] {
  return [...closeTouches(input), ...tokenTouches(input.chain), ...lossTouches(input.accountId, input.losses)];
}

function settle(book: Book, input: SettleInput): CloseResult {
  const hold = book.get('holds', input.requestId);
  if (!hold) return { state: 'late' };
  assert(input.cost >= 0n, 'a cost is not negative');
  assert(!hold.free || input.cost === 0n, 'a free request posts no money');
  closeRates(book, hold, input.outcome.buckets);
  return closeHold(book, hold, input.cost, input.outcome, input.losses);
}

function releaseTouches(input: ReleaseInput): Touch[] {
  return [...undoTouches(input), ...lossTouches(input.accountId, input.losses)];
}

function undoTouches(input: Omit<UndoInput, 'at'>): Touch[] {
  return [
    ...sweepTouches(input),
    ...(input.freeAddress === undefined
      ? []
      : [{ table: 'windows', id: freeAddressWindow(input.freeAddress) } as const]),
  ];
}

function sweepTouches(input: RequestRef): Touch[] {
  return [
    ...closeTouches(input),
    ...rateTouches(input.chain),
    { table: 'windows', id: requestWindow(input.accountId, true) },
    { table: 'windows', id: requestWindow(input.accountId, false) },
  ];
}

function release(book: Book, input: ReleaseInput): CloseResult {
  const hold = book.get('holds', input.requestId);
  if (!hold) return { state: 'late' };
  if (input.giveBackSlots) giveBackSlots(book, hold, input.freeAddress);
  else closeRates(book, hold, input.outcome.buckets);
  return closeHold(book, hold, 0n, input.outcome, input.losses);
}

function undo(book: Book, input: UndoInput): CloseResult {
  const hold = book.get('holds', input.requestId);
  if (!hold) return { state: 'late' };
  giveBackSlots(book, hold, input.freeAddress);
  return { state: 'closed', charged: 0n, writtenOff: 0n, balance: freeHold(book, hold, 0n, input.at).balance };
}

function sweep(book: Book, input: SweepInput): CloseResult {
  const hold = book.get('holds', input.requestId);
  if (!hold) return { state: 'late' };
  giveBackSlots(book, hold);
  bookDeadNode(book, hold, input.at);
  return closeHold(book, hold, 0n, {
    at: input.at,
    status: 'gateway_died',
    channel: null,
    buckets: NO_BUCKETS,
    reasoning: 0,
    estimated: false,
    firstTokenMs: null,
    totalMs: Math.max(0, input.at - hold.openedAt),
    attempts: [],
    rule: 'gateway_failed',
    // The loss is all there is.
    upstreamCost: 0n,
  });
}

/** Makes the rest of the hold available. Returns the balance after it, and the part of the charge taken from paid balance. */
function freeHold(book: Book, hold: Hold, charged: Nano, at: number): { balance: Nano; paid: Nano } {
  const wallet = book.get('wallets', hold.accountId);
  assert(wallet, 'an account has a wallet');
  const balance = wallet.balance - charged;
  const held = wallet.held - hold.amount;
  assert(balance >= 0n && held >= 0n && balance >= held, 'available never falls below zero');
  const after = spendFreeFirst(wallet, balance);
  book.put('wallets', wallet.accountId, {
    ...wallet,
    ...after,
    held,
    inFlight: wallet.inFlight - (hold.free ? 0 : 1),
    freeInFlight: wallet.freeInFlight - (hold.free ? 1 : 0),
    touchedAt: at,
  });
  noteBalance(book, wallet, balance, at);
  closeBudgets(book, hold, charged, at);
  book.put('holds', hold.requestId, undefined);
  return { balance, paid: wallet.paid - after.paid };
}

function closeHold(book: Book, hold: Hold, cost: Nano, outcome: Outcome, losses?: Losses): CloseResult {
  const { charge, guard, covered } = bookLosses(book, hold, cost, losses, outcome.at);
  const charged = minNano(cost + charge, hold.amount);
  const writtenOff = cost - minNano(cost, hold.amount);
  assert(writtenOff <= MAX_NANO, 'a write-off fits into a column');
  const { balance, paid } = freeHold(book, hold, charged, outcome.at);
  if (charged > 0n) {
    book.add('entries', {
      at: outcome.at,
      kind: 'usage',
      debit: hold.accountId,
      credit: 'house:revenue',
      amount: charged,
      accountId: hold.accountId,
      balanceAfter: balance,
      reference: hold.requestId,
      note: null,
      refundOf: null,
      paid,
      once: null,
    });
  }
  if (writtenOff > 0n) {
    book.add('entries', {
      at: outcome.at,
      kind: 'write_off',
      debit: 'house:write_off',
      credit: 'house:revenue',
      amount: writtenOff,
      accountId: null,
      balanceAfter: null,
      reference: hold.requestId,
      note: null,
      refundOf: null,
      paid: null,
      once: null,
    });
  }
  book.add('usage', {
    requestId: hold.requestId,
    accountId: hold.accountId,
    keyId: hold.keyId,
    at: hold.openedAt,
    model: outcome.model ?? hold.model,
    channel: outcome.channel,
    endpoint: hold.endpoint,
    status: outcome.status,
    stream: hold.stream,
    ...outcome.buckets,
    reasoning: outcome.reasoning,
    firstTokenMs: outcome.firstTokenMs,
    totalMs: outcome.totalMs,
    held: hold.amount,
    cost: charged,
    balanceAfter: balance,
    estimated: outcome.estimated,
    revision: hold.revision,
    attempts: outcome.attempts,
    rule: guard ? 'loss_guard' : (outcome.rule ?? null),
    serviceTier: outcome.serviceTier ?? null,
    toolCalls: outcome.toolCalls ?? null,
    pricedAt: outcome.pricedAt ?? null,
    upstreamCost: recordedCost(outcome.upstreamCost, covered),
  });
  const closed = { state: 'closed', charged, writtenOff, balance } as const;
  return guard ? { ...closed, ...guard } : closed;
}

function giveBackSlots(book: Book, hold: Hold, freeAddress?: string): void {
  closeRates(book, hold, undefined);
  const windowId = requestWindow(hold.accountId, hold.free);
  const window = windowOf(book, windowId);
  book.put(
    'windows',
    windowId,
    hold.free
      ? giveBackDay(giveBackRolling(window, hold.openedAt), hold.openedAt)
      : giveBackRolling(window, hold.openedAt, PAID_GRAIN_MS),
  );
  if (freeAddress !== undefined) giveBackAddressSlot(book, freeAddress, hold.openedAt);
}

function giveBackAddressSlot(book: Book, address: string, takenAt: number): void {
  const id = freeAddressWindow(address);
  book.put('windows', id, giveBackDay(windowOf(book, id), takenAt));
}

/**
 * The highest recorded cost: a document with a wrong unit could state more, and the sum of a day must fit into its column.
 */
const MAX_RECORDED_COST = 10_000n * NANO_PER_NTD;

/**
 * The upstreams' bill for the usage that the customer pays, for the usage record; null if any part is unknown. `covered`: of
 * the losses that the customer was charged for. Other losses are not part of it: together with those of its request it is
 * all that upstreams bill, so profit counts nothing twice.
 */
function recordedCost(own: Nano | null | undefined, covered: Nano | null): Nano | null {
  if (own === null || own === undefined || covered === null) return null;
  const cost = own + covered;
  if (cost > MAX_RECORDED_COST) return null;
  // The excess over a hold is booked at the sale price, which may be more than the whole upstream bill.
  return cost > 0n ? cost : 0n;
}
