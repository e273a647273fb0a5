// Runs random histories against a store and the model at once, and compares them after every step.

import fc from 'fast-check';
import type { Decided } from '../../../src/store/book/decide.ts';
import type { Operation } from '../../../src/store/operations.ts';
import { RUN_SEED } from '../../support/long-run.ts';
import { DAY, type Expected, Model } from './model.ts';
import { newWorld, operationsOf, STEPS, type Step, type World } from './steps.ts';
import type { LossState, Subject } from './subject.ts';

interface Real {
  subject: Subject;
  world: World;
}

/** Up to so many steps are submitted before the first of them is answered. */
const BURST = 4;
const MAX_COMMANDS = 50;

/** Steps that reach the store together. */
class Burst implements fc.AsyncCommand<Model, Real> {
  constructor(readonly steps: readonly Step[]) {}

  check(): boolean {
    return true;
  }

  async run(model: Model, { subject, world }: Real): Promise<void> {
    const submitted: { operation: Operation; expected: Expected; found: Promise<Decided> }[] = [];
    for (const step of this.steps) {
      for (const operation of operationsOf(step, world, model)) {
        submitted.push({ operation, expected: model.apply(operation), found: subject.submit(operation) });
      }
    }
    const found = await Promise.all(submitted.map((one) => one.found));
    for (const [at, { operation, expected }] of submitted.entries()) compareResults(operation, expected, found[at]);
    await compareState(
      model,
      subject,
      submitted.map(({ operation }) => operation),
    );
  }

  toString(): string {
    return this.steps.map((step) => JSON.stringify(step)).join(' + ');
  }
}

function commands() {
  const single = STEPS.map((step) => step.map((one) => new Burst([one])));
  const several = fc.array(fc.oneof(...STEPS), { minLength: 2, maxLength: BURST }).map((steps) => new Burst(steps));
  return fc.commands([...single, several, several, several], { size: 'max', maxCommands: MAX_COMMANDS });
}

export interface HistoryOptions {
  /** A fresh store, or one that many histories share: ids of different prefixes never meet. */
  subject(): Subject;
  runs: number;
  /** Histories that run side by side, so that their operations share batches. */
  lanes?: number;
  seed?: number;
  registerPerDay?: number;
  /** Where it is enough that a history fails: the shortest one that does is not looked for. */
  isAnyFailureEnough?: boolean;
}

/** The first failure as fast-check words it, with seed and path; undefined if every history agreed. */
export async function runHistories(options: HistoryOptions): Promise<string | undefined> {
  const { subject, runs, lanes = 1, seed = RUN_SEED, registerPerDay = Number.MAX_SAFE_INTEGER } = options;
  const endOnFailure = options.isAnyFailureEnough ?? false;
  let count = 0;
  const lane = async (number: number) => {
    const property = fc.asyncProperty(commands(), async (steps) => {
      const world = newWorld(`s${seed}-${number}-${count++}`, registerPerDay);
      const model = new Model();
      const real = { subject: subject(), world };
      await begin(model, real);
      await fc.asyncModelRun(() => ({ model, real }), steps);
      await compareClosed(model, real);
    });
    const details = await fc.check(property, { seed: seed + number, numRuns: Math.ceil(runs / lanes), endOnFailure });
    return details.failed ? `${fc.defaultReportMessage(details)}\n${details.errorInstance}` : undefined;
  };
  const reports = await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return reports.find((report) => report !== undefined);
}

/** Without an account and two leases most steps would come to nothing. */
function begin(model: Model, real: Real): Promise<void> {
  const forMs = 3 * DAY;
  const steps: Step[] = [
    { do: 'register', address: 0, replay: -1, body: 0 },
    { do: 'lease', node: 0, forMs },
    { do: 'lease', node: 1, forMs },
  ];
  return new Burst(steps).run(model, real);
}

function compareResults(operation: Operation, expected: Expected, found: Decided | undefined): void {
  const agrees = expected.ok ? found?.ok && Bun.deepEquals(found.result, expected.result) : found?.ok === false;
  if (!agrees) differ(`result of ${operation.name}`, expected, found);
}

async function compareState(model: Model, subject: Subject, operations: readonly Operation[]): Promise<void> {
  const accountIds = new Set<string>();
  const keyIds = new Set<string>();
  const cards = new Set<string>();
  for (const { name, input } of operations) {
    if ('accountId' in input) accountIds.add(input.accountId);
    if ('keyId' in input) keyIds.add(input.keyId);
    if (name === 'redeem') cards.add(input.cardHash);
    if (name === 'void') cards.add(input.hash);
  }
  for (const id of accountIds) {
    compareAccount(model, id, await subject.account(id));
    compareLosses(model, id, await subject.losses(id));
  }
  for (const id of keyIds) {
    const budget = (await subject.budget(id)) ?? { spent: 0n, held: 0n };
    if (!Bun.deepEquals(budget, model.budget(id))) differ(`budget of ${id}`, model.budget(id), budget);
  }
  for (const hash of cards) {
    const card = model.cards.get(hash);
    const expected = card && { state: card.state, redeemedBy: card.redeemedBy };
    const found = await subject.card(hash);
    if (!Bun.deepEquals(found, expected)) differ(`card ${hash}`, expected, found);
  }
}

function compareAccount(model: Model, id: string, found: Awaited<ReturnType<Subject['account']>>): void {
  const account = model.accounts.get(id);
  const open = model.open(id);
  const balance = model.balance(id);
  const held = model.held(id);
  const { paid, paidSpent } = model.paid(id);
  const expected = account && {
    balance,
    held,
    inFlight: open.filter(({ free }) => !free).length,
    freeInFlight: open.filter(({ free }) => free).length,
    frozen: account.frozen,
    paid,
    paidSpent,
    entrySum: balance,
    holdSum: held,
  };
  if (!Bun.deepEquals(found, expected)) differ(`account ${id}`, expected, found);
  if (found && found.paid > found.balance) differ(`paid part of ${id}`, 'not above the balance', found);
  if (found && found.balance < found.held) differ(`available of ${id}`, 'not below zero', found);
}

function compareLosses(model: Model, id: string, found: LossState): void {
  const account = model.accounts.get(id);
  if (!account) return;
  const { booked } = account.losses;
  if (!Bun.deepEquals(found.booked, booked)) differ(`losses of ${id}`, booked, found.booked);
  const expected = account.losses.counted();
  const counted = found.counted ?? { day: 0, amount: 0n };
  if (!Bun.deepEquals(counted, expected)) differ(`day of losses of ${id}`, expected, counted);
}

/** Every closed request has one usage record of its costs, and no more than one settlement; an open one has none. Sums agree. */
async function compareClosed(model: Model, { subject }: Real): Promise<void> {
  for (const [requestId, { closed }] of model.requests) {
    const expected = closed && { ...closed, entries: closed.cost > 0n ? 1 : 0 };
    const found = await subject.usage(requestId);
    if (!Bun.deepEquals(found, expected)) differ(`usage of ${requestId}`, expected, found);
  }
  for (const id of model.accounts.keys()) {
    const [expected, found] = [model.profit(id), await subject.profit(id)];
    if (!Bun.deepEquals(found, expected)) differ(`profit of ${id}`, expected, found);
  }
}

function differ(what: string, expected: unknown, found: unknown): never {
  throw new Error(`${what}: the model says ${Bun.inspect(expected)}, the store ${Bun.inspect(found)}`);
}
