// Batches of the operations that every request makes travel to the writer as one JSON text, which costs a fraction of a
// structured clone. Fields stand in a fixed order, money as decimal digits. A batch with anything else in it travels as
// it is: encoding it answers undefined.

import { assert } from '../../kit/assert.ts';
import type { Nano } from '../../kit/money.ts';
import type { AdmitInput, Losses, Operation, Outcome, ReleaseInput, SettleInput } from '../operations.ts';
import type { Attempt, ChargeRule, Loss, LossReason, RequestStatus } from '../rows.ts';

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
/** At the end of a close, and left out where there is none: a journal of the version before has neither. */
type EndCells = [rule?: ChargeRule | null, losses?: LossesCells];
type LossesCells = [guard: string | null, ...items: LossCells[]];
type LossCells = [reason: LossReason, model: string, channel: string | null, amount: string, charge: string];

/** What they are stands before each batch of cells; what only some have stands last. */
type HotPaid = ['p', ...AdmitCells, ...PaidCells];
type HotFree = ['f', ...AdmitCells, ...FreeCells];
type HotSettle = ['s', ...CloseCells, ...SettleCells, ...EndCells];
type HotRelease = ['r', ...CloseCells, ...ReleaseCells, ...EndCells];
type HotCells = HotPaid | HotFree | HotSettle | HotRelease;

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
  if (name === 'settle') return withEnd(closeCells('s', input, digits(input.cost)), input);
  if (name === 'release') {
    return withEnd([...closeCells('r', input, input.giveBackSlots), input.freeAddress ?? null], input);
  }
  return undefined;
}

/** Most closes have a rule and no losses. */
function withEnd<Cells extends HotSettle | HotRelease>(
  cells: Cells,
  { outcome: { rule }, losses }: SettleInput | ReleaseInput,
): Cells {
  const end: unknown[] = cells;
  if (losses && losses.items.length > 0) end.push(rule ?? null, lossesCells(losses));
  else if (rule !== undefined) end.push(rule);
  return cells;
}

function lossesCells({ items, guard }: Losses): LossesCells {
  return [guard === null ? null : digits(guard), ...items.map(lossCells)];
}

function lossCells({ reason, model, channel, amount, charge }: Loss): LossCells {
  return [reason, model, channel, digits(amount), digits(charge)];
}

export function decodeOperations(text: string): { id: number; operations: Operation[] } {
  const [id, ...operations] = JSON.parse(text) as [number, ...HotCells[]];
  return { id, operations: operations.map(decodeOperation) };
}

function decodeOperation(cells: HotCells): Operation {
  switch (cells[0]) {
    case 'p':
      return { name: 'admit', input: toAdmit(cells, toPaid(cells)) };
    case 'f':
      return { name: 'admit', input: toAdmit(cells, toFree(cells)) };
    case 's':
      return { name: 'settle', input: toSettle(cells) };
    case 'r':
      return { name: 'release', input: toRelease(cells) };
  }
}

function admitCells(input: AdmitInput): HotCells {
  const { requestId, accountId, keyId, nodeId, at, model, endpoint, stream, revision, charge } = input;
  const budget = input.budget === null ? null : digits(input.budget);
  const common: AdmitCells = [requestId, accountId, keyId, nodeId, at, model, endpoint, stream, revision, budget];
  if (charge.free) {
    const { perMinute, perDayZero, perDayPositive, inFlight, perAddress } = charge.limits;
    const address = perAddress?.address ?? null;
    return ['f', ...common, perMinute, perDayZero, perDayPositive, inFlight, address, perAddress?.perDay ?? 0];
  }
  const { hold, limits } = charge;
  const { perMinute, inFlight } = limits;
  return ['p', ...common, digits(hold.base), digits(hold.unit), hold.wanted, hold.least, perMinute, inFlight];
}

// Cells are read by their position: every request is, on the one thread that writes, and taking tuples apart costs half
// as much again. The types above name what stands where.

function toAdmit(cells: HotPaid | HotFree, charge: AdmitInput['charge']): AdmitInput {
  const budget = cells[10];
  const whole: Whole<AdmitInput> = {
    requestId: cells[1],
    accountId: cells[2],
    keyId: cells[3],
    nodeId: cells[4],
    at: cells[5],
    model: cells[6],
    endpoint: cells[7],
    stream: cells[8],
    revision: cells[9],
    budget: budget === null ? null : BigInt(budget),
    charge,
  };
  return whole;
}

function toPaid(cells: HotPaid): AdmitInput['charge'] {
  return {
    free: false,
    hold: { base: BigInt(cells[11]), unit: BigInt(cells[12]), wanted: cells[13], least: cells[14] },
    limits: { perMinute: cells[15], inFlight: cells[16] },
  };
}

function toFree(cells: HotFree): AdmitInput['charge'] {
  const address = cells[15];
  return {
    free: true,
    limits: {
      perMinute: cells[11],
      perDayZero: cells[12],
      perDayPositive: cells[13],
      inFlight: cells[14],
      perAddress: address === null ? undefined : { address, perDay: cells[16] },
    },
  };
}

/** `last`: the first of what only one kind of them has. */
function closeCells<Kind extends string, Last>(
  kind: Kind,
  { requestId, accountId, keyId, outcome }: SettleInput | ReleaseInput,
  last: Last,
): [Kind, ...CloseCells, Last] {
  const { buckets } = outcome;
  return [
    kind,
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
    last,
  ];
}

function toSettle(cells: HotSettle): SettleInput {
  const whole: Whole<SettleInput> = {
    requestId: cells[1],
    accountId: cells[2],
    keyId: cells[3],
    outcome: toOutcome(cells, cells[20]),
    cost: BigInt(cells[19]),
    losses: toLosses(cells[21]),
  };
  return whole;
}

function toRelease(cells: HotRelease): ReleaseInput {
  const whole: Whole<ReleaseInput> = {
    requestId: cells[1],
    accountId: cells[2],
    keyId: cells[3],
    outcome: toOutcome(cells, cells[21]),
    giveBackSlots: cells[19],
    freeAddress: cells[20] ?? undefined,
    losses: toLosses(cells[22]),
  };
  return whole;
}

function toLosses(cells: LossesCells | undefined): Losses | undefined {
  if (!cells) return undefined;
  const [guard, ...items] = cells;
  return { items: items.map(toLoss), guard: guard === null ? null : BigInt(guard) };
}

function toLoss([reason, model, channel, amount, charge]: LossCells): Loss {
  return { reason, model, channel, amount: BigInt(amount), charge: BigInt(charge) };
}

function toOutcome(cells: HotSettle | HotRelease, rule: ChargeRule | null | undefined): Outcome {
  const whole: Whole<Outcome> = {
    at: cells[4],
    status: cells[5],
    model: cells[6] ?? undefined,
    channel: cells[7],
    buckets: {
      input: cells[8],
      cachedInput: cells[9],
      cacheWrite5m: cells[10],
      cacheWrite1h: cells[11],
      output: cells[12],
      images: cells[13],
    },
    reasoning: cells[14],
    estimated: cells[15],
    firstTokenMs: cells[16],
    totalMs: cells[17],
    attempts: cells[18],
    rule: rule ?? undefined,
  };
  return whole;
}
