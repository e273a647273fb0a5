// What the ledger must do, in the plainest words: lists that only grow, sums taken anew each time, no clever state. It
// shares types with the store and not one line of its logic.

import type {
  AdmitInput,
  AdmitResult,
  BudgetState,
  ChangeKeyInput,
  CloseResult,
  CreateKeyInput,
  CreditInput,
  CreditResult,
  FreezeInput,
  FreezeResult,
  HoldRequest,
  IssueInput,
  Losses,
  MoneyReason,
  Operation,
  PayoutInput,
  PayoutResult,
  RedeemInput,
  RedeemResult,
  RefundInput,
  RefundResult,
  RegisterInput,
  RegisterResult,
  ReleaseInput,
  SettleInput,
  SweepInput,
  UndoInput,
  VoidInput,
  VoidResult,
} from '../../../src/store/operations.ts';
import type { KeyRow, Lease } from '../../../src/store/rows.ts';
import { ModelLosses } from './model-losses.ts';
import type { ProfitState } from './subject.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Expected = { ok: true; result: unknown } | { ok: false };

export interface ModelAccount {
  /** Every movement of its money; the balance is their sum. */
  entries: { kind: string; amount: bigint; isPaid?: boolean; requestId?: string; refundOf?: RefundInput['of'] }[];
  frozen: boolean;
  freeSlots: number[];
  freeDay: { day: number; count: number };
  paidSlots: number[];
  losses: ModelLosses;
}

export interface ModelRequest {
  requestId: string;
  accountId: string;
  keyId: string;
  nodeId: string;
  amount: bigint;
  free: boolean;
  openedAt: number;
  /** Set when it was closed, which happens once. */
  closed?: {
    cost: bigint;
    /** The part of the cost that was paid balance; null without a cost. */
    paid: bigint | null;
    status: string;
    balanceAfter: bigint;
    rule: string | null;
    upstreamCost: bigint | null;
  };
}

interface Ended {
  status: string;
  at: number;
  rule?: string | null | undefined;
  upstreamCost?: bigint | null | undefined;
}

export interface ModelCard {
  serial: string;
  amount: bigint;
  state: 'issued' | 'redeemed' | 'voided';
  expiresAt: number | null;
  redeemedBy: string | null;
  isSold: boolean;
}

export class Model {
  readonly accounts = new Map<string, ModelAccount>();
  readonly requests = new Map<string, ModelRequest>();
  readonly cards = new Map<string, ModelCard>();
  readonly keys = new Map<string, KeyRow>();
  readonly #spent = new Map<string, { day: number; spent: bigint }>();
  readonly #leases = new Map<string, number>();
  readonly #references = new Set<string>();
  /** By request or card. */
  readonly #refunded = new Map<string, bigint>();
  readonly #registrations = new Map<string, number[]>();
  #siteDay = { day: 0, count: 0 };
  readonly #guesses = new Map<string, { slots: number[]; day: { day: number; count: number } }>();
  readonly #addressGuesses = new Map<string, number[]>();
  readonly #replays = new Map<string, { bodyHash: string; salt: string; until: number; result: unknown }>();

  balance(accountId: string): bigint {
    return sum((this.accounts.get(accountId)?.entries ?? []).map(({ amount }) => amount));
  }

  /**
   * What of the balance was paid for, if free credit is spent first and a refund returns what it came from. `ofRequests`: the
   * part of each charge that was paid balance.
   */
  paid(accountId: string): { paid: bigint; paidSpent: bigint; ofRequests: ReadonlyMap<string, bigint> } {
    let free = 0n;
    let paid = 0n;
    let paidSpent = 0n;
    const ofRequests = new Map<string, bigint>();
    const left = new Map<string, bigint>();
    for (const { kind, amount, isPaid, requestId = '', refundOf } of this.accounts.get(accountId)?.entries ?? []) {
      if (kind === 'usage') {
        const fromFree = least(free, -amount);
        free -= fromFree;
        paid -= -amount - fromFree;
        paidSpent += -amount - fromFree;
        ofRequests.set(requestId, -amount - fromFree);
        left.set(requestId, -amount - fromFree);
      } else if (kind === 'refund') {
        const bound = refundOf?.kind === 'request' ? (left.get(refundOf.id) ?? 0n) : amount;
        if (refundOf?.kind === 'request') left.set(refundOf.id, bound - least(bound, amount));
        const isPromo = refundOf?.kind === 'card' && !refundOf.isSold;
        const toPaid = isPromo ? 0n : least(paidSpent, least(bound, amount));
        paidSpent -= toPaid;
        paid += toPaid;
        free += amount - toPaid;
      } else if (isPaid) paid += amount;
      else free += amount;
    }
    return { paid, paidSpent, ofRequests };
  }

  open(accountId: string): ModelRequest[] {
    return [...this.requests.values()].filter((request) => request.accountId === accountId && !request.closed);
  }

  held(accountId: string): bigint {
    return sum(this.open(accountId).map(({ amount }) => amount));
  }

  /** Added up from its requests and its losses, one by one. */
  profit(accountId: string): ProfitState {
    const closed = [...this.requests.values()].flatMap((one) =>
      one.accountId === accountId ? (one.closed ?? []) : [],
    );
    const known = closed.filter(({ upstreamCost }) => upstreamCost !== null);
    return {
      revenue: -sum(
        (this.accounts.get(accountId)?.entries ?? []).flatMap(({ kind, amount }) => (kind === 'usage' ? amount : [])),
      ),
      requests: closed.length,
      known: known.length,
      knownRevenue: sum(known.map(({ cost }) => cost)),
      cost: sum(known.map(({ upstreamCost }) => upstreamCost ?? 0n)),
      loss: sum((this.accounts.get(accountId)?.losses.booked ?? []).map(({ amount }) => amount)),
    };
  }

  budget(keyId: string): { spent: bigint; held: bigint } {
    const open = [...this.requests.values()].filter((one) => one.keyId === keyId && !one.closed);
    return { spent: this.#spent.get(keyId)?.spent ?? 0n, held: sum(open.map(({ amount }) => amount)) };
  }

  apply(operation: Operation): Expected {
    switch (operation.name) {
      case 'register':
        return this.#register(operation.input);
      case 'createKey':
        return done(this.#createKey(operation.input));
      case 'changeKey':
        return this.#changeKey(operation.input);
      case 'admit':
        return this.#admit(operation.input);
      case 'settle':
        return this.#settle(operation.input);
      case 'release':
        return done(this.#release(operation.input));
      case 'undo':
        return done(this.#undo(operation.input));
      case 'sweep':
        return done(this.#sweep(operation.input));
      case 'lease':
        return done(this.#lease(operation.input));
      case 'redeem':
        return done(this.#redeem(operation.input));
      case 'issue':
        return this.#issue(operation.input);
      case 'void':
        return done(this.#void(operation.input));
      case 'credit':
        return this.#credit(operation.input);
      case 'refund':
        return this.#refund(operation.input);
      case 'payout':
        return this.#payout(operation.input);
      case 'freeze':
        return done(this.#freeze(operation.input));
      default:
        throw new Error(`the model does not know ${operation.name}`);
    }
  }

  #register(input: RegisterInput): Expected {
    const refusal = this.#whyNotRegistered(input);
    if (refusal) return done(refusal);
    const { accountId, key, address, at, trial, replay } = input;
    if (this.accounts.has(accountId)) return { ok: false };
    this.#registrations.set(address, [...(this.#registrations.get(address) ?? []), at]);
    this.#siteDay = countToday(this.#siteDay, at);
    this.accounts.set(accountId, {
      entries: [{ kind: 'trial', amount: trial }],
      frozen: false,
      freeSlots: [],
      freeDay: { day: 0, count: 0 },
      paidSlots: [],
      losses: new ModelLosses(),
    });
    const result = { ok: true, accountId, keyId: key.keyId, balance: trial } satisfies RegisterResult;
    if (replay) this.#replays.set(replay.id, { ...replay, until: at + DAY, result });
    return done(result);
  }

  /** Or the result of the first call with the same Idempotency-Key. */
  #whyNotRegistered({ address, at, limits, replay }: RegisterInput): RegisterResult | undefined {
    const known = replay && this.#replays.get(replay.id);
    if (replay && known && known.until > at) {
      if (known.bodyHash !== replay.bodyHash) return { ok: false, reason: 'idempotency_key_reused' };
      return { ...(known.result as Extract<RegisterResult, { ok: true }>), replayedSalt: known.salt };
    }
    const slots = this.#registrations.get(address) ?? [];
    const byAddress = rolling(slots, at, DAY, limits.perAddress);
    if (byAddress.remaining === 0) return { ok: false, reason: 'registration_ip_limit', allowance: byAddress };
    const site = today(this.#siteDay, at, limits.perDay);
    if (site.remaining === 0) return { ok: false, reason: 'registration_site_limit', allowance: site };
    return undefined;
  }

  #createKey({ key }: CreateKeyInput): unknown {
    if (!this.accounts.has(key.accountId)) return { ok: false, reason: 'not_found' };
    this.keys.set(key.keyId, key);
    return { ok: true, key };
  }

  #changeKey({ keyId, changes: { dailyBudget = null } }: ChangeKeyInput): Expected {
    const known = this.keys.get(keyId);
    if (!known) return done({ ok: false, reason: 'not_found' });
    const key = { ...known, dailyBudget };
    this.keys.set(keyId, key);
    return done({ ok: true, key });
  }

  #admit(input: AdmitInput): Expected {
    const { accountId, nodeId, at, charge } = input;
    if ((this.#leases.get(nodeId) ?? 0) <= at) return done({ ok: false, reason: 'lease_lost' });
    const account = this.accounts.get(accountId);
    if (!account || this.requests.has(input.requestId)) return { ok: false };
    if (account.frozen) return done({ ok: false, reason: 'wallet_frozen' });
    const flying = this.open(accountId).filter(({ free }) => free === charge.free).length;
    const tooMany: AdmitResult = {
      ok: false,
      reason: 'too_many_in_flight',
      allowance: { limit: charge.limits.inFlight, used: flying, remaining: 0, resetsAt: at },
    };
    if (charge.free) {
      const perDay = this.balance(accountId) > 0n ? charge.limits.perDayPositive : charge.limits.perDayZero;
      const day = today(account.freeDay, at, perDay);
      if (day.remaining === 0) return done({ ok: false, reason: 'free_daily_limit', allowance: day });
      const minute = rolling(account.freeSlots, at, MINUTE, charge.limits.perMinute);
      if (minute.remaining === 0) return done({ ok: false, reason: 'free_minute_limit', allowance: minute });
      if (flying >= charge.limits.inFlight) return done(tooMany);
      account.freeSlots.push(at);
      account.freeDay = countToday(account.freeDay, at);
      this.#open(input, 0n);
      const minuteLeft = rolling(account.freeSlots, at, MINUTE, charge.limits.perMinute);
      const dayLeft = today(account.freeDay, at, perDay);
      return done({
        ok: true,
        held: 0n,
        granted: Number.MAX_SAFE_INTEGER,
        balance: this.balance(accountId),
        allowance:
          [minuteLeft, dayLeft].toSorted((a, b) => a.remaining - b.remaining || b.resetsAt - a.resetsAt)[0] ?? dayLeft,
      });
    }
    const minute = rolling(account.paidSlots, at, MINUTE, charge.limits.perMinute);
    if (minute.remaining === 0) return done({ ok: false, reason: 'rate_limited', allowance: minute });
    if (flying >= charge.limits.inFlight) return done(tooMany);
    const refusal = this.#whyUnaffordable(input, charge.hold);
    if (refusal) return done(refusal);
    const granted = tokensFor(charge.hold, this.#money(input));
    const amount = charge.hold.base + charge.hold.unit * BigInt(granted);
    const budget = this.#budget(input);
    const used = budget ? budget.spent + budget.held + amount : 0n;
    const isNearlyUsed = budget && used * 100n >= budget.limit * 80n;
    // A paid slot counts to the full second.
    account.paidSlots.push(Math.ceil(at / 1000) * 1000);
    this.#spend(input.keyId, 0n, at);
    this.#open(input, amount);
    return done({
      ok: true,
      held: amount,
      granted,
      balance: this.balance(accountId),
      allowance: rolling(account.paidSlots, at, MINUTE, charge.limits.perMinute),
      ...(isNearlyUsed && { nearBudgets: [budget] }),
    });
  }

  #available(accountId: string): bigint {
    return this.balance(accountId) - this.held(accountId);
  }

  /** As it stands for an admission; null without a budget. */
  #budget({ keyId, at }: AdmitInput): BudgetState | null {
    const limit = this.keys.get(keyId)?.dailyBudget ?? null;
    if (limit === null) return null;
    const known = this.#spent.get(keyId);
    const spent = known && taipeiDay(at) <= known.day ? known.spent : 0n;
    const span = Math.max(taipeiDay(at), known?.day ?? 0);
    return { budget: 'day', keyId, limit, spent, held: this.budget(keyId).held, span };
  }

  #money(input: AdmitInput): bigint {
    const budget = this.#budget(input);
    const available = this.#available(input.accountId);
    if (!budget) return available;
    const left = most(0n, budget.limit - budget.spent - budget.held);
    return available < left ? available : left;
  }

  #whyUnaffordable(input: AdmitInput, hold: HoldRequest): AdmitResult | undefined {
    const needed = hold.base + hold.unit * BigInt(hold.least);
    if (needed <= this.#money(input)) return undefined;
    const available = this.#money(input);
    const budget = this.#budget(input);
    const refuse = (reason: MoneyReason) =>
      ({ ok: false, reason, needed, available, affordableTokens: tokensFor(hold, available) }) as const;
    if (budget && needed > budget.limit - budget.spent)
      return { ...refuse('key_budget_exceeded'), short: budget, budgets: [budget] };
    if (needed > this.balance(input.accountId)) return refuse('insufficient_balance');
    const isInUse = budget && needed > budget.limit - budget.spent - budget.held;
    return isInUse ? { ...refuse('budget_in_use'), short: budget } : refuse('balance_in_use');
  }

  #open({ requestId, accountId, keyId, nodeId, at, charge }: AdmitInput, amount: bigint): void {
    this.requests.set(requestId, { requestId, accountId, keyId, nodeId, amount, free: charge.free, openedAt: at });
  }

  #settle({ requestId, cost, outcome, losses }: SettleInput): Expected {
    const request = this.requests.get(requestId);
    if (!request || request.closed) return done({ state: 'late' });
    if (request.free && cost > 0n) return { ok: false };
    return done(this.#close(request, cost, outcome, losses));
  }

  #release({ requestId, giveBackSlots, outcome, losses }: ReleaseInput): CloseResult {
    const request = this.requests.get(requestId);
    if (!request || request.closed) return { state: 'late' };
    if (giveBackSlots) this.#giveBack(request);
    return this.#close(request, 0n, outcome, losses);
  }

  /** As if it had never been there. */
  #undo({ requestId, at }: UndoInput): CloseResult {
    const request = this.requests.get(requestId);
    if (!request || request.closed) return { state: 'late' };
    this.#giveBack(request);
    const result = this.#close(request, 0n, { status: 'undone', at });
    this.requests.delete(requestId);
    return result;
  }

  #sweep({ requestId, at }: SweepInput): CloseResult {
    const request = this.requests.get(requestId);
    if (!request || request.closed) return { state: 'late' };
    this.#giveBack(request);
    this.accounts.get(request.accountId)?.losses.died(request.amount, taipeiDay(at));
    return this.#close(request, 0n, { status: 'gateway_died', at, rule: 'gateway_failed', upstreamCost: 0n });
  }

  #close(
    request: ModelRequest,
    cost: bigint,
    { status, at, rule = null, upstreamCost = null }: Ended,
    losses?: Losses,
  ): CloseResult {
    const account = this.accounts.get(request.accountId);
    const { amount: held, free: isFree } = request;
    const lost = account?.losses.close({ cost, held, isFree, clockDay: taipeiDay(at), losses });
    const whole = cost + (lost?.charge ?? 0n);
    const charged = whole < held ? whole : held;
    if (charged > 0n) account?.entries.push({ kind: 'usage', amount: -charged, requestId: request.requestId });
    const balance = this.balance(request.accountId);
    const covered = lost?.covered ?? null;
    request.closed = {
      cost: charged,
      paid: this.paid(request.accountId).ofRequests.get(request.requestId) ?? null,
      status,
      balanceAfter: balance,
      rule: lost?.guard ? 'loss_guard' : rule,
      upstreamCost: upstreamCost === null || covered === null ? null : most(0n, upstreamCost + covered),
    };
    if (!request.free) this.#spend(request.keyId, charged, at);
    const writtenOff = most(0n, cost - held);
    return {
      state: 'closed',
      charged,
      writtenOff,
      balance,
      ...(lost?.guard && { lossGuard: lost.guard, freeLosses: lost.free }),
    };
  }

  /** A key's day never runs back, and a new day begins at nothing. */
  #spend(keyId: string, amount: bigint, at: number): void {
    const known = this.#spent.get(keyId);
    const day = taipeiDay(at);
    if (!known || day > known.day) this.#spent.set(keyId, { day, spent: amount });
    else known.spent += amount;
  }

  /** A day's slot goes back only to the day that the clock showed when it was taken. */
  #giveBack({ accountId, free, openedAt }: ModelRequest): void {
    const account = this.accounts.get(accountId);
    if (!account) return;
    if (!free) removeOne(account.paidSlots, Math.ceil(openedAt / 1000) * 1000);
    else {
      removeOne(account.freeSlots, openedAt);
      if (account.freeDay.day === taipeiDay(openedAt) && account.freeDay.count > 0) account.freeDay.count--;
    }
  }

  #lease({ nodeId, expiresAt }: Lease): undefined {
    this.#leases.set(nodeId, expiresAt);
  }

  #issue({ batch, cards }: IssueInput): Expected {
    if (cards.some(({ hash }) => this.cards.has(hash))) return { ok: false };
    for (const { hash, serial } of cards) {
      const { amount, expiresAt, kind } = batch;
      const isSold = kind === 'sold';
      this.cards.set(hash, { serial, amount, state: 'issued', expiresAt, redeemedBy: null, isSold });
    }
    return done(undefined);
  }

  #void({ hash }: VoidInput): VoidResult {
    const card = this.cards.get(hash);
    if (!card) return { state: 'unknown' };
    if (card.state === 'issued') card.state = 'voided';
    return { state: card.state };
  }

  #redeem({ accountId, cardHash, address, at, limits, replay }: RedeemInput): RedeemResult {
    const card = this.cards.get(cardHash);
    const known = replay && this.#replays.get(replay.id);
    if (replay && known && known.until > at) {
      if (known.bodyHash !== replay.bodyHash) return { ok: false, reason: 'idempotency_key_reused' };
      return {
        ...(known.result as Extract<RedeemResult, { ok: true } | { reason: 'card_not_redeemable' }>),
        replayed: true,
      };
    }
    if (card?.redeemedBy === accountId) {
      const { serial, amount } = card;
      const again: RedeemResult = { ok: true, serial, amount, balance: this.balance(accountId), alreadyRedeemed: true };
      if (replay) this.#replays.set(replay.id, { ...replay, until: at + DAY, result: again });
      return again;
    }
    const guesses = this.#guesses.get(accountId) ?? { slots: [], day: { day: 0, count: 0 } };
    const fromAddress = this.#addressGuesses.get(address) ?? [];
    const full = [
      rolling(guesses.slots, at, 10 * MINUTE, limits.perTenMinutes),
      today(guesses.day, at, limits.perDay),
      rolling(fromAddress, at, HOUR, limits.perAddressHour),
    ].find(({ remaining }) => remaining === 0);
    if (full) return { ok: false, reason: 'redeem_rate_limited', allowance: full };
    const account = this.accounts.get(accountId);
    if (!card || !account || card.state !== 'issued' || (card.expiresAt !== null && card.expiresAt <= at)) {
      this.#guesses.set(accountId, { slots: [...guesses.slots, at], day: countToday(guesses.day, at) });
      this.#addressGuesses.set(address, [...fromAddress, at]);
      const refusal: RedeemResult = { ok: false, reason: 'card_not_redeemable' };
      if (replay) this.#replays.set(replay.id, { ...replay, until: at + DAY, result: refusal });
      return refusal;
    }
    card.state = 'redeemed';
    card.redeemedBy = accountId;
    account.entries.push({ kind: 'card', amount: card.amount, isPaid: card.isSold });
    const { serial, amount } = card;
    const result: RedeemResult = { ok: true, serial, amount, balance: this.balance(accountId), alreadyRedeemed: false };
    if (replay) this.#replays.set(replay.id, { ...replay, until: at + DAY, result });
    return result;
  }

  #credit({ accountId, amount, reference, kind = 'credit' }: CreditInput): Expected {
    const account = this.accounts.get(accountId);
    if (!account) return done({ ok: false, reason: 'not_found' } satisfies CreditResult);
    if (!this.#isFirst(kind, reference)) return { ok: false };
    account.entries.push({ kind, amount, isPaid: kind === 'topup' });
    return done({ ok: true, balance: this.balance(accountId) } satisfies CreditResult);
  }

  #isFirst(kind: string, reference: string): boolean {
    const name = `${kind} ${reference}`;
    const isFirst = !this.#references.has(name);
    this.#references.add(name);
    return isFirst;
  }

  #refund({ accountId, of, amount: wanted, reference }: RefundInput): Expected {
    const account = this.accounts.get(accountId);
    if (!account) return done({ ok: false, reason: 'not_found' } satisfies RefundResult);
    const refunded = (of && this.#refunded.get(of.id)) ?? 0n;
    const amount = wanted ?? (of ? of.charged - refunded : 0n);
    if (of && (amount === 0n || refunded + amount > of.charged)) {
      return done({ ok: false, reason: 'above_charge', refunded } satisfies RefundResult);
    }
    const { paidSpent: spent } = this.paid(accountId);
    if (of?.kind === 'card' && of.isSold && amount > spent) {
      return done({ ok: false, reason: 'above_spent', refunded, spent } satisfies RefundResult);
    }
    if (!this.#isFirst('refund', reference)) return { ok: false };
    if (of) this.#refunded.set(of.id, refunded + amount);
    account.entries.push({ kind: 'refund', amount, refundOf: of });
    return done({ ok: true, amount, balance: this.balance(accountId) } satisfies RefundResult);
  }

  #payout({ accountId, amount, fee, reference }: PayoutInput): Expected {
    const account = this.accounts.get(accountId);
    if (!account) return done({ ok: false, reason: 'not_found' } satisfies PayoutResult);
    const balance = this.balance(accountId);
    const held = this.held(accountId);
    const { paid } = this.paid(accountId);
    if (amount + fee > least(paid, balance - held)) {
      return done({ ok: false, reason: 'above_paid', balance, held, paid } satisfies PayoutResult);
    }
    if (!this.#isFirst('payout', reference)) return { ok: false };
    account.entries.push({ kind: 'payout', amount: -amount, isPaid: true });
    if (fee > 0n) account.entries.push({ kind: 'payout_fee', amount: -fee, isPaid: true });
    const after = { balance: this.balance(accountId), paid: this.paid(accountId).paid };
    return done({ ok: true, ...after } satisfies PayoutResult);
  }

  #freeze({ accountId, frozen }: FreezeInput): FreezeResult {
    const account = this.accounts.get(accountId);
    const wasAlready = account?.frozen === frozen;
    if (account) account.frozen = frozen;
    return { wasAlready };
  }
}

function done(result: unknown): Expected {
  return { ok: true, result };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function taipeiDay(at: number): number {
  return Math.floor((at + 8 * HOUR) / DAY);
}

/** How many output tokens this money buys, after the input is paid. */
function tokensFor({ base, unit, wanted }: HoldRequest, money: bigint): number {
  if (money < base) return 0;
  if (unit === 0n) return wanted;
  const tokens = (money - base) / unit;
  return tokens > BigInt(wanted) ? wanted : Number(tokens);
}

/** Slots count until their span is over, also those of a time that the clock has since stepped back from. */
function rolling(slots: readonly number[], now: number, span: number, limit: number) {
  const live = slots.filter((slot) => slot + span > now).sort((a, b) => a - b);
  const next = live[Math.max(0, live.length - limit)];
  return {
    limit,
    used: Math.min(live.length, limit),
    remaining: Math.max(0, limit - live.length),
    resetsAt: next === undefined ? now : next + span,
  };
}

function today(known: { day: number; count: number }, now: number, limit: number) {
  const day = Math.max(known.day, taipeiDay(now));
  const used = day === known.day ? known.count : 0;
  return { limit, used, remaining: Math.max(0, limit - used), resetsAt: (day + 1) * DAY - 8 * HOUR };
}

function countToday(known: { day: number; count: number }, now: number) {
  const day = Math.max(known.day, taipeiDay(now));
  return { day, count: day === known.day ? known.count + 1 : 1 };
}

function removeOne(slots: number[], slot: number): void {
  const index = slots.indexOf(slot);
  if (index >= 0) slots.splice(index, 1);
}
