// The steps of a random history. A step names things by number ("the third request"), so that it stays meaningful when
// fast-check takes other steps away; what it means is worked out when it runs.

import fc from 'fast-check';
import type { Operation, RefundInput } from '../../../src/store/operations.ts';
import { type ChargeRule, type KeyRow, type Loss, NO_BUCKETS, type RequestStatus } from '../../../src/store/rows.ts';
import { DAY, HOUR, MINUTE, type Model, taipeiDay } from './model.ts';

/** Small enough that a history of fifty steps meets every limit. */
const FREE_LIMITS = { perMinute: 3, perDayZero: 2, perDayPositive: 4, inFlight: 3 };
const PAID_LIMITS = { perMinute: 4, inFlight: 3 };
const GUESS_LIMITS = { perTenMinutes: 2, perDay: 3, perAddressHour: 4 };
const REGISTER_PER_ADDRESS = 2;
export const TRIAL = 1_000n;

/** Noon in Taipei. */
const START = Date.UTC(2026, 0, 15, 4, 0, 0);
/** The clock wanders so far in either direction: of one that is wrong by more than two days, limits forget something. */
const WANDERS_MS = DAY;

export interface World {
  /** What every id of this history begins with. */
  prefix: string;
  now: number;
  registerPerDay: number;
  accountIds: string[];
  requestIds: string[];
  cardHashes: string[];
  count: number;
  /** Every operation so far. */
  past: Operation[];
}

export function newWorld(prefix: string, registerPerDay: number): World {
  return { prefix, now: START, registerPerDay, accountIds: [], requestIds: [], cardHashes: [], count: 0, past: [] };
}

export type Step =
  | { do: 'register'; address: number; replay: number; body: number }
  | { do: 'issue'; amount: number; expiresInMs: number | null }
  | { do: 'void'; card: number }
  | { do: 'redeem'; account: number; card: number; replay: number; body: number }
  | { do: 'credit'; account: number; amount: number; isPaid: boolean; repeats: boolean }
  | {
      do: 'refund';
      account: number;
      of: 'request' | 'card' | null;
      number: number;
      amount: number | null;
      repeats: boolean;
    }
  | { do: 'payout'; account: number; amount: number; fee: number; repeats: boolean }
  | { do: 'freeze'; account: number; frozen: boolean }
  | { do: 'lease'; node: number; forMs: number }
  | {
      do: 'admit';
      account: number;
      node: number;
      key: number;
      charge: { free: true } | { free: false; base: number; unit: number; wanted: number; least: number };
      budget: number | null;
    }
  | { do: 'settle'; request: number; cost: number; upstream: number | null; losses: StepLosses | null }
  | { do: 'release'; request: number; giveBackSlots: boolean; losses: StepLosses | null }
  | { do: 'undo'; request: number }
  | { do: 'sweep'; request: number }
  /** An earlier operation, delivered once more as it was. */
  | { do: 'again'; back: number }
  /** Everything a dead node left open. */
  | { do: 'crash'; node: number }
  | { do: 'clock'; byMs: number }
  /** To the last half second of a Taipei day, or the first half second of the next. */
  | { do: 'midnight'; side: -1 | 1 };

interface StepLosses {
  guard: number | null;
  items: readonly { reason: Loss['reason']; amount: number; charge: number; isAtSalePrice: boolean }[];
}

/** Small numbers are the newest things, and come most. */
const index = fc.oneof(fc.nat(3), fc.nat(40));
const body = fc.nat(3).map((n) => (n === 0 ? 1 : 0));
const node = fc.nat(1);
/** Keys that do not manage: any may have a budget now and none then. */
const KEYS = [1, 2];
const key = fc.constantFrom(...KEYS);
const replay = fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(1) });

const repeats = fc.nat(7).map((n) => n === 0);

/** Few enough different amounts that the guard is met to the nano. */
const losses: fc.Arbitrary<StepLosses | null> = fc.option(
  fc.record({
    guard: fc.constantFrom(null, 0, 100, 300),
    items: fc.array(
      fc.record({
        reason: fc.constantFrom('empty_answer', 'hedge', 'free_model', 'client_gone'),
        amount: fc.constantFrom(0, 1, 50, 99, 100, 300),
        charge: fc.constantFrom(0, 0, 1, 60, 5_000),
        isAtSalePrice: fc.nat(3).map((n) => n === 0),
      } as const),
      { maxLength: 3 },
    ),
  }),
);

/** Null: the route states no cost. */
const upstream = fc.constantFrom(null, 0, 1, 80, 4_000);

/** Frequent steps stand more than once. */
export const STEPS: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constant('register'), address: fc.nat(1), replay, body } as const),
  fc.record({
    do: fc.constant('issue'),
    amount: fc.integer({ min: 1, max: 3_000 }),
    expiresInMs: fc.constantFrom(null, HOUR, DAY),
  } as const),
  fc.record({ do: fc.constant('void'), card: index } as const),
  fc.record({ do: fc.constant('redeem'), account: index, card: index, replay, body } as const),
  fc.record({
    do: fc.constant('credit'),
    account: index,
    amount: fc.integer({ min: 1, max: 2_000 }),
    isPaid: fc.boolean(),
    repeats,
  } as const),
  ...[1, 2].map(() =>
    fc.record({
      do: fc.constant('refund'),
      account: index,
      of: fc.constantFrom('request', 'request', 'card', null),
      number: index,
      amount: fc.constantFrom(null, 1, 50, 99, 100, 1_000),
      repeats,
    } as const),
  ),
  ...[1, 2].map(() =>
    fc.record({
      do: fc.constant('payout'),
      account: index,
      amount: fc.constantFrom(1, 49, 100, 500, 1_000),
      fee: fc.constantFrom(0, 0, 1, 30),
      repeats,
    } as const),
  ),
  fc.record({ do: fc.constant('freeze'), account: index, frozen: fc.nat(3).map((n) => n === 0) } as const),
  fc.record({ do: fc.constant('lease'), node, forMs: fc.constantFrom(15_000, 2 * DAY, 3 * DAY) } as const),
  admitPaid(fc.constant(null)),
  admitPaid(fc.constant(null)),
  admitPaid(fc.constantFrom(0, 300, 500, 1_500)),
  admitFree(),
  admitFree(),
  admitFree(),
  fc.record({
    do: fc.constant('settle'),
    request: index,
    cost: fc.constantFrom(0, 1, 50, 99, 100, 101, 150, 5_000),
    upstream,
    losses: fc.constant(null),
  } as const),
  fc.record({
    do: fc.constant('settle'),
    request: index,
    cost: fc.constantFrom(0, 1, 50, 99, 100, 101, 150, 5_000),
    upstream,
    losses,
  } as const),
  fc.record({ do: fc.constant('release'), request: index, giveBackSlots: fc.boolean(), losses } as const),
  fc.record({ do: fc.constant('undo'), request: index } as const),
  fc.record({ do: fc.constant('sweep'), request: index } as const),
  fc.record({ do: fc.constant('again'), back: fc.nat(5) } as const),
  fc.record({ do: fc.constant('again'), back: fc.nat(5) } as const),
  fc.record({ do: fc.constant('crash'), node } as const),
  fc.record({
    do: fc.constant('clock'),
    byMs: fc.oneof(
      fc.constantFrom(1_000, -1_000, HOUR, -HOUR, DAY, -DAY, MINUTE, -MINUTE, 59_999),
      fc.integer({ min: -90_000, max: 90_000 }),
    ),
  } as const),
  fc.record({ do: fc.constant('midnight'), side: fc.constantFrom(-1, 1) } as const),
];

function admitPaid(budget: fc.Arbitrary<number | null>): fc.Arbitrary<Step> {
  const charge = fc.record({
    free: fc.constant(false as const),
    base: fc.constantFrom(0, 1, 100, 400, 1_100),
    unit: fc.constantFrom(0, 1, 7, 20),
    wanted: fc.integer({ min: 1, max: 60 }),
    least: fc.integer({ min: 1, max: 16 }),
  });
  return fc.record({
    do: fc.constant('admit'),
    account: index,
    node,
    key,
    charge: charge.map((one) => ({ ...one, least: Math.min(one.least, one.wanted) })),
    budget,
  } as const);
}

function admitFree(): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('admit'),
    account: index,
    node,
    key,
    charge: fc.constant({ free: true as const }),
    budget: fc.constantFrom(null, 300),
  } as const);
}

/** The operations that a step comes to here and now; it may be none. Clocks move at once. */
export function operationsOf(step: Step, world: World, model: Model): Operation[] {
  const operations = meaningOf(step, world, model);
  // Ids of keys are never used again either.
  world.past.push(...operations.filter(({ name }) => name !== 'createKey'));
  return operations;
}

function meaningOf(step: Step, world: World, model: Model): Operation[] {
  const { prefix, now } = world;
  switch (step.do) {
    case 'register': {
      const accountId = `${prefix}-a${world.accountIds.length}`;
      world.accountIds.push(accountId);
      return [
        {
          name: 'register',
          input: {
            accountId,
            key: keyRow(accountId, now),
            address: `${prefix}-ip${step.address}`,
            at: now,
            trial: TRIAL,
            limits: { perAddress: REGISTER_PER_ADDRESS, perDay: world.registerPerDay },
            replay: replayOf(world, 'register', step.replay, `${step.body}`),
          },
        },
        ...KEYS.map((number): Operation => {
          const ids = { keyId: `${accountId}-k${number}`, hash: `${accountId}-h${number}` };
          return { name: 'createKey', input: { key: { ...keyRow(accountId, now), ...ids, manage: false }, at: now } };
        }),
      ];
    }
    case 'issue': {
      const id = `${prefix}-c${world.cardHashes.length}`;
      world.cardHashes.push(id);
      const { amount, expiresInMs } = step;
      const batch = {
        batchId: id,
        kind: expiresInMs === null ? ('sold' as const) : ('promo' as const),
        amount: BigInt(amount),
        count: 1,
        expiresAt: expiresInMs === null ? null : now + expiresInMs,
        note: null,
        createdAt: now,
      };
      return [{ name: 'issue', input: { batch, cards: [{ hash: id, serial: `SN-${id}` }] } }];
    }
    case 'void':
      return [{ name: 'void', input: { hash: pick(world.cardHashes, step.card) ?? `${prefix}-unknown` } }];
    case 'redeem': {
      const accountId = pick(world.accountIds, step.account);
      if (accountId === undefined || !model.accounts.has(accountId)) return [];
      // The first of them was never issued.
      const cardHash = pick([`${prefix}-guess`, ...world.cardHashes], step.card) ?? '';
      return [
        {
          name: 'redeem',
          input: {
            accountId,
            cardHash,
            address: `${prefix}-ip0`,
            at: now,
            limits: GUESS_LIMITS,
            replay: replayOf(world, `redeem-${accountId}`, step.replay, `${cardHash}-${step.body}`),
          },
        },
      ];
    }
    case 'credit': {
      const accountId = pick(world.accountIds, step.account) ?? `${prefix}-nobody`;
      const reference = referenceOf(world, step);
      const amount = BigInt(step.amount);
      const kind = step.isPaid ? 'topup' : 'credit';
      return [{ name: 'credit', input: { accountId, amount, reference, reason: 'a history', kind, at: now } }];
    }
    case 'refund':
      return refunding(step, world, model);
    case 'payout': {
      const accountId = pick(world.accountIds, step.account) ?? `${prefix}-nobody`;
      const amounts = { amount: BigInt(step.amount), fee: BigInt(step.fee) };
      const reference = referenceOf(world, step);
      return [{ name: 'payout', input: { accountId, ...amounts, reference, reason: 'a history', at: now } }];
    }
    case 'freeze': {
      const accountId = pick(world.accountIds, step.account);
      if (accountId === undefined || !model.accounts.has(accountId)) return [];
      return [{ name: 'freeze', input: { accountId, frozen: step.frozen, at: now } }];
    }
    case 'lease':
      return [
        {
          name: 'lease',
          input: { nodeId: `${prefix}-n${step.node}`, host: 'here', pid: 1, expiresAt: now + step.forMs },
        },
      ];
    case 'admit':
      return admission(step, world, model);
    case 'settle': {
      const closing = closingOf(world, model, step.request);
      if (!closing) return [];
      const free = model.requests.get(closing.requestId)?.free;
      const cost = free ? 0n : BigInt(step.cost);
      const upstreamCost = step.upstream === null ? null : BigInt(step.upstream);
      const channel = step.request % 2 === 0 ? 'up' : 'spare';
      const ended = { ...outcome('ok', now, step.cost > 100 ? 'served' : undefined), channel, upstreamCost };
      return [{ name: 'settle', input: { ...closing, cost, losses: lossesOf(step), outcome: ended } }];
    }
    case 'release': {
      const closing = closingOf(world, model, step.request);
      if (!closing) return [];
      const { giveBackSlots } = step;
      const ended = outcome('upstream_failed', now, giveBackSlots ? 'upstream_failed' : undefined);
      return [{ name: 'release', input: { ...closing, giveBackSlots, losses: lossesOf(step), outcome: ended } }];
    }
    case 'undo': {
      const closing = closingOf(world, model, step.request);
      return closing ? [{ name: 'undo', input: { ...closing, at: now } }] : [];
    }
    case 'sweep': {
      const closing = closingOf(world, model, step.request);
      return closing ? [{ name: 'sweep', input: { ...closing, at: now } }] : [];
    }
    case 'again': {
      const operation = world.past.at(-1 - step.back);
      if (!operation) return [];
      // Ids of requests are never used again: only one that is still open can be admitted twice.
      const isClosed = operation.name === 'admit' && model.requests.get(operation.input.requestId)?.closed;
      return isClosed ? [] : [operation];
    }
    case 'crash':
      return [...model.requests]
        .filter(([, one]) => one.nodeId === `${prefix}-n${step.node}` && !one.closed)
        .map(([requestId, { accountId, keyId }]) => ({
          name: 'sweep' as const,
          input: { requestId, accountId, keyId, at: now },
        }));
    case 'clock':
      moveClock(world, now + step.byMs);
      return [];
    case 'midnight': {
      const midnight = (taipeiDay(now) + 1) * DAY - 8 * HOUR;
      moveClock(world, midnight + step.side * 500);
      return [];
    }
  }
}

function referenceOf(world: World, { repeats }: { repeats: boolean }): string {
  if (!repeats) world.count++;
  return `${world.prefix}-r${world.count}`;
}

/** Of a request that was charged or a card that was redeemed, or of no such thing. */
function refunding(step: Extract<Step, { do: 'refund' }>, world: World, model: Model): Operation[] {
  const reference = referenceOf(world, step);
  const refund = (accountId: string, of: RefundInput['of']): Operation[] => {
    const amount = step.amount === null ? (of ? undefined : 7n) : BigInt(step.amount);
    return [{ name: 'refund', input: { accountId, of, amount, reference, reason: 'a history', at: world.now } }];
  };
  if (step.of === 'request') {
    const costOf = (requestId: string) => model.requests.get(requestId)?.closed?.cost ?? 0n;
    const id = pick(
      world.requestIds.filter((requestId) => costOf(requestId) > 0n),
      step.number,
    );
    const request = id === undefined ? undefined : model.requests.get(id);
    if (id === undefined || !request) return [];
    const charged = costOf(id);
    const paid = model.paid(request.accountId).ofRequests.get(id) ?? 0n;
    return refund(request.accountId, { kind: 'request', id, charged, paid });
  }
  if (step.of === 'card') {
    const card = model.cards.get(pick(world.cardHashes, step.number) ?? '');
    if (!card?.redeemedBy) return [];
    return refund(card.redeemedBy, { kind: 'card', id: card.serial, charged: card.amount, isSold: card.isSold });
  }
  return refund(pick(world.accountIds, step.account) ?? `${world.prefix}-nobody`, undefined);
}

function moveClock(world: World, to: number): void {
  world.now = Math.min(Math.max(to, START - WANDERS_MS), START + WANDERS_MS);
}

function admission(step: Extract<Step, { do: 'admit' }>, world: World, model: Model): Operation[] {
  const accountId = pick(world.accountIds, step.account);
  if (accountId === undefined || !model.accounts.has(accountId)) return [];
  const requestId = `${world.prefix}-q${world.requestIds.length}`;
  world.requestIds.push(requestId);
  const { charge } = step;
  const keyId = `${accountId}-k${step.key}`;
  const dailyBudget = step.budget === null ? null : BigInt(step.budget);
  const isSo = model.keys.get(keyId)?.dailyBudget === dailyBudget;
  const change: Operation = { name: 'changeKey', input: { accountId, keyId, changes: { dailyBudget }, at: world.now } };
  return [
    ...(isSo ? [] : [change]),
    {
      name: 'admit',
      input: {
        requestId,
        accountId,
        keyId,
        nodeId: `${world.prefix}-n${step.node}`,
        at: world.now,
        model: `m${world.requestIds.length % 3}`,
        endpoint: '/v1/chat/completions',
        stream: false,
        revision: 1,
        charge: charge.free
          ? { free: true, limits: FREE_LIMITS }
          : {
              free: false,
              hold: {
                base: BigInt(charge.base),
                unit: BigInt(charge.unit),
                wanted: charge.wanted,
                least: charge.least,
              },
              limits: PAID_LIMITS,
            },
      },
    },
  ];
}

function closingOf(world: World, model: Model, number: number) {
  const requestId = pick(world.requestIds, number);
  const request = requestId === undefined ? undefined : model.requests.get(requestId);
  return requestId !== undefined && request
    ? { requestId, accountId: request.accountId, keyId: request.keyId }
    : undefined;
}

function lossesOf({ losses }: { losses: StepLosses | null }) {
  if (!losses) return undefined;
  return {
    guard: losses.guard === null ? null : BigInt(losses.guard),
    items: losses.items.map(({ reason, amount, charge, isAtSalePrice }) => ({
      reason,
      isAtSalePrice,
      model: 'm1',
      channel: 'up',
      amount: BigInt(amount),
      charge: BigInt(charge),
    })),
  };
}

function outcome(status: RequestStatus, at: number, rule: ChargeRule | undefined) {
  return {
    at,
    status,
    channel: null,
    buckets: { ...NO_BUCKETS, input: 1, output: 2 },
    reasoning: 0,
    estimated: false,
    firstTokenMs: null,
    totalMs: 5,
    attempts: [],
    rule,
    upstreamCost: 0n,
  };
}

function replayOf(world: World, scope: string, number: number, bodyHash: string) {
  if (number < 0) return undefined;
  return { id: `${world.prefix}-${scope}-i${number}`, bodyHash, salt: `salt${world.count++}` };
}

function keyRow(accountId: string, createdAt: number): KeyRow {
  return {
    keyId: `${accountId}-k0`,
    accountId,
    hash: `${accountId}-h0`,
    last4: 'last',
    name: null,
    manage: true,
    models: null,
    dailyBudget: null,
    expiresAt: null,
    createdAt,
    revokedAt: null,
    oldHash: null,
    oldHashUntil: null,
    parentId: null,
    depth: 0,
    delegate: false,
    limits: {},
  };
}

/** The newest are met most, whatever the number. */
function pick<Value>(values: readonly Value[], number: number): Value | undefined {
  return values.length === 0 ? undefined : values[values.length - 1 - (number % values.length)];
}
