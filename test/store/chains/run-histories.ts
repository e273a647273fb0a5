// Random histories of trees of keys against the model: keys are made, narrowed, widened and revoked while calls run.

import type { KeyLimits } from '../../../src/store/key-limits.ts';
import type { AdmitInput } from '../../../src/store/operations.ts';
import type { KeyChain } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { createAccount, fresh, outcome, paid, releasing, sampleKey, settling, T0 } from '../suite/samples.ts';
import { ChainModel, dayStart, MINUTE, type ModelCall, monthStart } from './model.ts';

const HOUR = 60 * MINUTE;
const AMOUNTS = [0n, 1n, 40n, 100n, 250n] as const;
const LIMITS = [0n, 100n, 250n, 400n, 1_000n] as const;
const SESSIONS = ['', 's', 't'] as const;
const STEPS = 120;

/** The same numbers for the same seed. */
function numbers(seed: number) {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  return { next, pick: <Value>(values: readonly Value[]) => values[next(values.length)] as Value };
}
type Numbers = ReturnType<typeof numbers>;

export async function runChainHistory(store: Store, seed: number): Promise<void> {
  const random = numbers(seed);
  const { accountId } = await createAccount(store, 1_000_000n);
  const model = new ChainModel();
  const inputs = new Map<string, AdmitInput>();
  let now = T0;

  const chainOf = (keyId: string, session: string): KeyChain => {
    const chain = model.chain(keyId);
    return {
      ancestors: chain.slice(1).map((one) => one.keyId),
      // Whether limits of these kinds are set may change at any time: the pages count for all of them.
      sessions: chain.map((one) => `${one.keyId}:${session}`),
      rated: chain.map((one) => one.keyId),
    };
  };

  async function makeKey(): Promise<void> {
    const parents = [...model.keys.values()].filter(({ isRevoked }) => !isRevoked);
    const parentId = random.next(4) === 0 || parents.length === 0 ? null : random.pick(parents).keyId;
    const dailyBudget = parentId === null && random.next(2) === 0 ? null : random.pick(LIMITS);
    const limits = randomLimits(random);
    const key = sampleKey(accountId, { manage: false, delegate: true, parentId, dailyBudget, limits });
    const above = parentId === null ? [] : model.chain(parentId);
    const exceeds = above.some((one) => isBeyond({ dailyBudget, limits }, one));
    const result = await store.commit('createKey', { key, at: now });
    expectSame(`key below ${parentId}`, result.ok, above.length < 9 && !exceeds);
    if (result.ok) model.keys.set(key.keyId, { keyId: key.keyId, parentId, isRevoked: false, dailyBudget, limits });
  }

  async function changeKey(): Promise<void> {
    const key = random.pick([...model.keys.values()]);
    if (!key || key.isRevoked) return;
    const dailyBudget = key.parentId === null && random.next(2) === 0 ? null : random.pick(LIMITS);
    const limits = randomLimits(random);
    const removed = Object.fromEntries(Object.keys(key.limits).map((field) => [field, null]));
    const above = model.chain(key.keyId).slice(1);
    const isNew = { dailyBudget: dailyBudget === key.dailyBudget ? null : dailyBudget, limits: { ...limits } };
    for (const field of Object.keys(limits) as (keyof KeyLimits)[]) {
      if (limits[field] === key.limits[field]) delete isNew.limits[field];
    }
    const changes = { dailyBudget, limits: { ...removed, ...limits } };
    const result = await store.commit('changeKey', { accountId, keyId: key.keyId, changes, at: now });
    expectSame(`change of ${key.keyId}`, result.ok, !above.some((one) => isBeyond(isNew, one)));
    if (result.ok) Object.assign(key, { dailyBudget, limits });
  }

  async function revokeKey(): Promise<void> {
    const key = random.pick([...model.keys.values()]);
    if (!key || key.isRevoked) return;
    await store.commit('revokeKey', { accountId, keyId: key.keyId, at: now });
    for (const one of model.keys.values()) if (model.isBelow(one.keyId, key.keyId)) one.isRevoked = true;
    const keys = await store.read.keysOf(accountId);
    for (const { keyId, revokedAt, manage } of keys) {
      if (!manage) expectSame(`revoked ${keyId}`, revokedAt !== null, model.keys.get(keyId)?.isRevoked);
    }
  }

  /** Calls of revoked keys are refused before the store is asked. */
  async function admit(): Promise<void> {
    const live = [...model.keys.values()].filter(({ isRevoked }) => !isRevoked);
    if (live.length === 0) return;
    const { keyId } = random.pick(live);
    const session = random.pick(SESSIONS);
    const [amount, tokens] = [random.pick(AMOUNTS), random.next(4) * 50];
    const input = paid(
      { accountId, keyId },
      {
        requestId: fresh('req'),
        at: now,
        chain: chainOf(keyId, session),
        tokens: { input: tokens, perOutput: 0, wanted: 1, least: 1 },
        charge: {
          free: false,
          hold: { base: amount, unit: 0n, wanted: 1, least: 1 },
          limits: { perMinute: 1e9, inFlight: 1e9 },
        },
      },
    );
    const verdict = model.judge(keyId, session, amount, tokens, now);
    const result = await store.commit('admit', input);
    expectSame(`admission of ${keyId} at ${now}, ${JSON.stringify(verdict)}`, result.ok, verdict.ok);
    if (!result.ok) {
      if ('short' in result && result.short) expectIn(`${result.short.budget} ${result.short.keyId}`, verdict.short);
      else if ('ofKey' in result && result.ofKey)
        expectIn(`${result.ofKey.counts} ${result.ofKey.keyId}`, verdict.rates);
      else throw new Error(`refused for ${result.reason}`);
      return;
    }
    inputs.set(input.requestId, input);
    const { requestId } = input;
    model.calls.push({ requestId, keyId, session, amount, tokens, openedAt: now, hasSlots: true, usedTokens: tokens });
  }

  async function close(): Promise<void> {
    const running = model.calls.filter(({ closed }) => !closed);
    if (running.length === 0) return;
    const call = random.pick(running);
    const input = inputs.get(call.requestId) as AdmitInput;
    const { requestId, keyId, chain } = input;
    const ids = { requestId, accountId, keyId, chain, at: now };
    const gone = (one: ModelCall) => Object.assign(one, { hasSlots: false, closed: { at: now, cost: 0n } });
    switch (random.next(5)) {
      case 0:
        await store.commit('undo', ids);
        gone(call);
        return;
      case 1:
        await store.commit('sweep', ids);
        gone(call);
        return;
      case 2:
        await store.commit('release', { ...releasing(input, true), outcome: outcome({ at: now }) });
        gone(call);
        return;
      default: {
        const cost = random.pick(AMOUNTS);
        await store.commit('settle', settling(input, cost, { at: now }));
        // The outcome reports 60 tokens.
        Object.assign(call, { usedTokens: 60, closed: { at: now, cost: cost < call.amount ? cost : call.amount } });
      }
    }
  }

  async function compare(): Promise<void> {
    const pages = new Map((await store.read.budgetsOf([...model.keys.keys()])).map((page) => [page.keyId, page]));
    for (const { keyId } of model.keys.values()) {
      const page = pages.get(keyId);
      expectSame(`held of ${keyId}`, page?.held ?? 0n, model.held(keyId));
      expectSame(`total of ${keyId}`, page?.totalSpent ?? 0n, model.spent(keyId, 0));
      expectSame(`running of ${keyId}`, page?.inFlight ?? 0, model.running(keyId));
      if (!page) continue;
      // A page keeps its day and month until it is next written.
      if (dayStart(now) === page.day * 24 * HOUR - 8 * HOUR) {
        expectSame(`day of ${keyId}`, page.spent, model.spent(keyId, dayStart(now)));
        expectSame(`month of ${keyId}`, page.monthSpent, model.spent(keyId, monthStart(now)));
      }
    }
  }

  for (let step = 0; step < STEPS; step++) {
    const choice = random.next(20);
    if (choice < 4 || model.keys.size === 0) await makeKey();
    else if (choice < 6) await changeKey();
    else if (choice === 6) await revokeKey();
    else if (choice < 13) await admit();
    else if (choice < 18) await close();
    else now += random.pick([1, 700, 20_000, MINUTE, 9 * HOUR, 24 * HOUR, 20 * 24 * HOUR]);
    if (step % 10 === 9) await compare();
  }
  await compare();
}

function randomLimits(random: Numbers): KeyLimits {
  const some = <Value>(values: readonly Value[]) => (random.next(3) === 0 ? random.pick(values) : undefined);
  const limits = {
    monthBudget: some(LIMITS),
    totalBudget: some(LIMITS),
    sessionBudget: some(LIMITS),
    requestsPerMinute: some([1, 3, 6]),
    tokensPerMinute: some([100, 300]),
    inFlight: some([1, 2, 4]),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)) as KeyLimits;
}

interface Bounds {
  dailyBudget: bigint | null;
  limits: KeyLimits;
}

/** Whether something is set to more than the ancestor has of it. */
function isBeyond(key: Bounds, ancestor: Bounds): boolean {
  const values = ({ dailyBudget, limits }: Bounds) => ({ dailyBudget: dailyBudget ?? undefined, ...limits });
  const own: Record<string, bigint | number | undefined> = values(key);
  const above: Record<string, bigint | number | undefined> = values(ancestor);
  return Object.entries(own).some(([field, value]) => {
    const most = above[field];
    return value !== undefined && most !== undefined && value > most;
  });
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${what}: the model says ${expected}, the store ${found}`);
}

function expectIn(found: string, expected: readonly string[]): void {
  if (!expected.includes(found)) throw new Error(`the store names ${found}, the model ${expected.join()}`);
}
