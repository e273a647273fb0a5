// Batches of the operations that every request makes, and their answers, travel between the threads as JSON, which costs a
// third of a structured clone. Money is written as digits. A batch with anything else in it travels as it is: writing it
// answers undefined.

import { assert } from '../../kit/assert.ts';
import type { Nano } from '../../kit/money.ts';
import type { Decided } from '../book/decide.ts';
import type { AdmitInput, AdmitResult, CloseResult, Losses, Operation } from '../operations.ts';

/** As JSON has it. */
type Written<Value> = Value extends bigint
  ? string
  : Value extends object
    ? { [Field in keyof Value]: Written<Value[Field]> }
    : Value;

type OfRequest = Extract<Operation, { name: 'admit' | 'settle' | 'release' }>;
type Paid = Extract<AdmitInput['charge'], { free: false }>;
type Answer = Exclude<Decided, { ok: true }> | { ok: true; result: AdmitResult | CloseResult };

export function writeBatch(id: number, operations: readonly Operation[]): string | undefined {
  return written(id, operations, writeOperation);
}

export function readBatch(text: string): { id: number; operations: Operation[] } {
  const [id, ...operations] = JSON.parse(text) as [number, ...Written<OfRequest>[]];
  return { id, operations: operations.map(readOperation) };
}

export function writeAnswers(id: number, answers: readonly Decided[]): string | undefined {
  return written(id, answers, writeAnswer);
}

export function readAnswers(text: string): { id: number; answers: Decided[] } {
  const [id, ...answers] = JSON.parse(text) as [number, ...Written<Answer>[]];
  return { id, answers: answers.map(readAnswer) };
}

/** What holds other money than is expected, or none where some is, is no JSON. */
function written<Value>(id: number, values: readonly Value[], write: (value: Value) => unknown): string | undefined {
  try {
    return JSON.stringify([id, ...values.map(write)]);
  } catch {
    return undefined;
  }
}

function digits(money: Nano): string {
  assert(typeof money === 'bigint', 'money is a whole number of nano');
  return money.toString();
}

function writeOperation({ name, input }: Operation): Written<OfRequest> {
  if (name === 'admit') {
    const { budget, charge } = input;
    return {
      name,
      input: {
        ...input,
        budget: budget === null ? null : digits(budget),
        charge: charge.free ? charge : writeHold(charge),
      },
    };
  }
  if (name === 'settle') {
    return { name, input: { ...input, cost: digits(input.cost), losses: input.losses && writeLosses(input.losses) } };
  }
  assert(name === 'release', 'it is an operation of a request');
  return { name, input: { ...input, losses: input.losses && writeLosses(input.losses) } };
}

function readOperation({ name, input }: Written<OfRequest>): OfRequest {
  if (name === 'admit') {
    const { budget, charge } = input;
    return {
      name,
      input: {
        ...input,
        budget: budget === null ? null : BigInt(budget),
        charge: charge.free ? charge : readHold(charge),
      },
    };
  }
  const losses = input.losses && readLosses(input.losses);
  return name === 'settle'
    ? { name, input: { ...input, cost: BigInt(input.cost), losses } }
    : { name, input: { ...input, losses } };
}

function writeHold(charge: Paid): Written<Paid> {
  const { hold } = charge;
  return { ...charge, hold: { ...hold, base: digits(hold.base), unit: digits(hold.unit) } };
}

function readHold(charge: Written<Paid>): Paid {
  const { hold } = charge;
  return { ...charge, hold: { ...hold, base: BigInt(hold.base), unit: BigInt(hold.unit) } };
}

function writeLosses({ items, guard }: Losses): Written<Losses> {
  return {
    items: items.map((item) => ({ ...item, amount: digits(item.amount), charge: digits(item.charge) })),
    guard: guard === null ? null : digits(guard),
  };
}

function readLosses({ items, guard }: Written<Losses>): Losses {
  return {
    items: items.map((item) => ({ ...item, amount: BigInt(item.amount), charge: BigInt(item.charge) })),
    guard: guard === null ? null : BigInt(guard),
  };
}

function writeAnswer(answer: Decided): unknown {
  if (!answer.ok || !answer.result) return answer;
  const { ok, result } = answer;
  if ('held' in result)
    return { ok, result: { ...result, held: digits(result.held), balance: digits(result.balance) } };
  if ('needed' in result) {
    return { ok, result: { ...result, needed: digits(result.needed), available: digits(result.available) } };
  }
  if (!('charged' in result)) return answer;
  const { charged, writtenOff, balance, freeLosses } = result;
  return {
    ok,
    result: {
      ...result,
      charged: digits(charged),
      writtenOff: digits(writtenOff),
      balance: digits(balance),
      freeLosses: freeLosses === undefined ? undefined : digits(freeLosses),
    },
  };
}

function readAnswer(answer: Written<Answer>): Answer {
  if (!answer.ok) return answer;
  const { ok, result } = answer;
  if ('held' in result)
    return { ok, result: { ...result, held: BigInt(result.held), balance: BigInt(result.balance) } };
  if ('needed' in result) {
    return { ok, result: { ...result, needed: BigInt(result.needed), available: BigInt(result.available) } };
  }
  if (!('charged' in result)) return { ok, result };
  const { charged, writtenOff, balance, freeLosses } = result;
  return {
    ok,
    result: {
      ...result,
      charged: BigInt(charged),
      writtenOff: BigInt(writtenOff),
      balance: BigInt(balance),
      freeLosses: freeLosses === undefined ? undefined : BigInt(freeLosses),
    },
  };
}
