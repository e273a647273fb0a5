// Batches of the operations that every request makes travel to the writer as one JSON text, which costs a fraction of a
// structured clone. Fields stand in a fixed order, money as decimal digits. A batch with anything else in it travels as
// it is: encoding it answers undefined.

import { assert } from '../../kit/assert.ts';
import type { Nano } from '../../kit/money.ts';
import type { AdmitInput, OfRequest, Operation, Outcome, ReleaseInput, SettleInput } from '../operations.ts';
import type { Attempt, RequestStatus } from '../rows.ts';

type AdmitCells = [
  requestId: string,
  accountId: string,
  keyId: string,
  nodeId: string,
  at: number,
  model: string,
  endpoint: string,
  stream: boolean,
  revision: number,
  budget: string | null,
];
type PaidCells = [base: string, unit: string, wanted: number, least: number, perMinute: number, inFlight: number];
type FreeCells = [
  perMinute: number,
  perDayZero: number,
  perDayPositive: number,
  inFlight: number,
  address: string | null,
  addressPerDay: number,
];
type CloseCells = [
  requestId: string,
  accountId: string,
  keyId: string,
  at: number,
  status: RequestStatus,
  model: string | null,
  channel: string | null,
  input: number,
  cachedInput: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  output: number,
  images: number,
  reasoning: number,
  estimated: boolean,
  firstTokenMs: number | null,
  totalMs: number,
  attempts: readonly Attempt[],
];
type SettleCells = [cost: string];
type ReleaseCells = [giveBackSlots: boolean, freeAddress: string | null];

/** What they are stands before each batch of cells; what only some have stands last. */
type HotCells =
  | ['p', ...AdmitCells, ...PaidCells]
  | ['f', ...AdmitCells, ...FreeCells]
  | ['s', ...CloseCells, ...SettleCells]
  | ['r', ...CloseCells, ...ReleaseCells];

/** Every field, also those that may be missing: none can be forgotten where one is put together. */
type Whole<Value> = { [Field in keyof Required<Value>]: Value[Field] };

export function encodeOperations(id: number, operations: readonly Operation[]): string | undefined {
  const cells: (number | HotCells)[] = [id];
  try {
    for (const operation of operations) {
      const encoded = operationCells(operation);
      if (!encoded) return undefined;
      cells.push(encoded);
    }
  } catch {
    // An input that is not what its type says goes as it is, too: it fails where it is decided, and alone.
    return undefined;
  }
  return JSON.stringify(cells);
}

function digits(money: Nano): string {
  assert(typeof money === 'bigint', 'money is a whole number of nano');
  return money.toString();
}

function operationCells({ name, input }: Operation): HotCells | undefined {
  if (name === 'admit') return admitCells(input);
  if (name === 'settle') return ['s', ...closeCells(input), digits(input.cost)];
  if (name === 'release') return ['r', ...closeCells(input), input.giveBackSlots, input.freeAddress ?? null];
  return undefined;
}

export function decodeOperations(text: string): { id: number; operations: Operation[] } {
  const [id, ...operations] = JSON.parse(text) as [number, ...HotCells[]];
  return { id, operations: operations.map(decodeOperation) };
}

function decodeOperation(cells: HotCells): Operation {
  switch (cells[0]) {
    case 'p':
      return { name: 'admit', input: toAdmit(cells, toPaid) };
    case 'f':
      return { name: 'admit', input: toAdmit(cells, toFree) };
    case 's':
      return { name: 'settle', input: toClosed(cells, toSettle) };
    case 'r':
      return { name: 'release', input: toClosed(cells, toRelease) };
  }
}

function admitCells(input: AdmitInput): HotCells {
  const { requestId, accountId, keyId, nodeId, at, model, endpoint, stream, revision, charge } = input;
  const budget = input.budget === null ? null : digits(input.budget);
  const common: AdmitCells = [requestId, accountId, keyId, nodeId, at, model, endpoint, stream, revision, budget];
  if (charge.free) {
    const { perMinute, perDayZero, perDayPositive, inFlight, perAddress } = charge.limits;
    const byAddress = [perAddress?.address ?? null, perAddress?.perDay ?? 0] as const;
    return ['f', ...common, perMinute, perDayZero, perDayPositive, inFlight, ...byAddress];
  }
  const { hold, limits } = charge;
  const money = [digits(hold.base), digits(hold.unit)] as const;
  return ['p', ...common, ...money, hold.wanted, hold.least, limits.perMinute, limits.inFlight];
}

function toAdmit<Own extends unknown[]>(
  cells: [mark: string, ...AdmitCells, ...Own],
  toCharge: (...own: Own) => AdmitInput['charge'],
): AdmitInput {
  const [, requestId, accountId, keyId, nodeId, at, model, endpoint, stream, revision, budget, ...own] = cells;
  const whole: Whole<AdmitInput> = {
    requestId,
    accountId,
    keyId,
    nodeId,
    at,
    model,
    endpoint,
    stream,
    revision,
    budget: budget === null ? null : BigInt(budget),
    charge: toCharge(...own),
  };
  return whole;
}

function toPaid(...[base, unit, wanted, least, perMinute, inFlight]: PaidCells): AdmitInput['charge'] {
  return {
    free: false,
    hold: { base: BigInt(base), unit: BigInt(unit), wanted, least },
    limits: { perMinute, inFlight },
  };
}

function toFree(...cells: FreeCells): AdmitInput['charge'] {
  const [perMinute, perDayZero, perDayPositive, inFlight, address, perDay] = cells;
  const perAddress = address === null ? undefined : { address, perDay };
  return { free: true, limits: { perMinute, perDayZero, perDayPositive, inFlight, perAddress } };
}

function closeCells({ requestId, accountId, keyId, outcome }: SettleInput | ReleaseInput): CloseCells {
  const { buckets } = outcome;
  return [
    requestId,
    accountId,
    keyId,
    outcome.at,
    outcome.status,
    outcome.model ?? null,
    outcome.channel,
    buckets.input,
    buckets.cachedInput,
    buckets.cacheWrite5m,
    buckets.cacheWrite1h,
    buckets.output,
    buckets.images,
    outcome.reasoning,
    outcome.estimated,
    outcome.firstTokenMs,
    outcome.totalMs,
    outcome.attempts,
  ];
}

interface Closed extends OfRequest {
  outcome: Outcome;
}

function toClosed<Own extends unknown[], Input>(
  cells: [mark: string, ...CloseCells, ...Own],
  toInput: (closed: Closed, ...own: Own) => Input,
): Input {
  const [
    ,
    requestId,
    accountId,
    keyId,
    at,
    status,
    model,
    channel,
    input,
    cachedInput,
    cacheWrite5m,
    cacheWrite1h,
    output,
    images,
    reasoning,
    estimated,
    firstTokenMs,
    totalMs,
    attempts,
    ...own
  ] = cells;
  const outcome: Whole<Outcome> = {
    at,
    status,
    model: model ?? undefined,
    channel,
    buckets: { input, cachedInput, cacheWrite5m, cacheWrite1h, output, images },
    reasoning,
    estimated,
    firstTokenMs,
    totalMs,
    attempts,
  };
  return toInput({ requestId, accountId, keyId, outcome }, ...own);
}

function toSettle(closed: Closed, ...[cost]: SettleCells): SettleInput {
  const whole: Whole<SettleInput> = { ...closed, cost: BigInt(cost) };
  return whole;
}

function toRelease(closed: Closed, ...[giveBackSlots, freeAddress]: ReleaseCells): ReleaseInput {
  const whole: Whole<ReleaseInput> = { ...closed, giveBackSlots, freeAddress: freeAddress ?? undefined };
  return whole;
}
