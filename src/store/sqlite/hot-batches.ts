// Encodes batches of the operations of every request, and the answers to them, as one JSON text each, which costs a fraction of
// a structured clone. Fields are in a fixed order without names, money is a number or digits. For a batch with any other
// operation, and for answers of which one contains a bigint, the result is undefined, and all is sent by structured clone.

import { type MoneyCell, moneyCell } from '../../kit/money.ts';
import type { Decided } from '../book/decide.ts';
import type { AdmitInput, Losses, Operation, Outcome, ReleaseInput, SettleInput } from '../operations.ts';

/** A letter for the type precedes the cells. */
type HotPaid = ReturnType<typeof paidCells>;
type HotFree = ReturnType<typeof freeCells>;
type HotSettle = ReturnType<typeof settleCells>;
type HotRelease = ReturnType<typeof releaseCells>;
type HotCells = HotPaid | HotFree | HotSettle | HotRelease;

/** All fields, including optional ones, so that none can be forgotten. */
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
    // An input of a wrong type is sent unchanged, too: it fails alone when it is decided.
    return undefined;
  }
  return JSON.stringify(cells);
}

function operationCells({ name, input }: Operation): HotCells | undefined {
  if (name === 'admit') return input.charge.free ? freeCells(input, input.charge) : paidCells(input, input.charge);
  if (name === 'settle') return settleCells(input);
  if (name === 'release') return releaseCells(input);
  return undefined;
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

type Charge<Free extends boolean> = Extract<AdmitInput['charge'], { free: Free }>;

function admitCells(input: AdmitInput) {
  const { requestId, accountId, keyId, nodeId, at, model, endpoint, stream, revision, chain = null } = input;
  return [requestId, accountId, keyId, nodeId, at, model, endpoint, stream, revision, chain] as const;
}

function paidCells(input: AdmitInput, { hold, limits }: Charge<false>) {
  return [
    'p',
    ...admitCells(input),
    moneyCell(hold.base),
    moneyCell(hold.unit),
    hold.wanted,
    hold.least,
    limits.perMinute,
    limits.inFlight,
    input.tokens ?? null,
  ] as const;
}

function freeCells(input: AdmitInput, { limits }: Charge<true>) {
  const { perMinute, perDayZero, perDayPositive, inFlight, perAddress } = limits;
  const address = perAddress?.address ?? null;
  return [
    'f',
    ...admitCells(input),
    perMinute,
    perDayZero,
    perDayPositive,
    inFlight,
    address,
    perAddress?.perDay ?? 0,
    input.tokens ?? null,
  ] as const;
}

// Cells are read by index, because destructuring takes 50 % longer and this runs for every request on the writer thread. The
// functions that write the cells say what is at each index, from 1 on.

function toAdmit(cells: HotPaid | HotFree, charge: AdmitInput['charge']): AdmitInput {
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
    chain: cells[10] ?? undefined,
    tokens: cells[17] ?? undefined,
    charge,
  };
  return whole;
}

function toPaid(cells: HotPaid): Charge<false> {
  return {
    free: false,
    hold: { base: BigInt(cells[11]), unit: BigInt(cells[12]), wanted: cells[13], least: cells[14] },
    limits: { perMinute: cells[15], inFlight: cells[16] },
  };
}

function toFree(cells: HotFree): Charge<true> {
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

function closeCells({ requestId, accountId, keyId, chain, outcome, losses }: SettleInput | ReleaseInput) {
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
    outcome.rule ?? null,
    losses ? writeLosses(losses) : null,
    outcome.serviceTier ?? null,
    outcome.toolCalls ?? null,
    chain ?? null,
    outcome.pricedAt ?? null,
    typeof outcome.upstreamCost === 'bigint' ? moneyCell(outcome.upstreamCost) : null,
    buckets.seconds,
    buckets.characters,
    buckets.searches,
  ] as const;
}

function settleCells(input: SettleInput) {
  return ['s', ...closeCells(input), moneyCell(input.cost)] as const;
}

function releaseCells(input: ReleaseInput) {
  return ['r', ...closeCells(input), input.giveBackSlots, input.freeAddress ?? null] as const;
}

function toSettle(cells: HotSettle): SettleInput {
  return { ...toClose(cells), cost: BigInt(cells[29]) };
}

function toRelease(cells: HotRelease): ReleaseInput {
  return { ...toClose(cells), giveBackSlots: cells[29], freeAddress: cells[30] ?? undefined };
}

function toClose(cells: HotSettle | HotRelease): Whole<Pick<SettleInput, keyof SettleInput & keyof ReleaseInput>> {
  const losses = cells[20];
  return {
    requestId: cells[1],
    accountId: cells[2],
    keyId: cells[3],
    chain: cells[23] ?? undefined,
    outcome: toOutcome(cells),
    losses: losses ? readLosses(losses) : undefined,
  };
}

function writeLosses({ items, guard }: Losses) {
  return {
    items: items.map((item) => ({ ...item, amount: moneyCell(item.amount), charge: moneyCell(item.charge) })),
    guard: guard === null ? null : moneyCell(guard),
  };
}

function readLosses({ items, guard }: ReturnType<typeof writeLosses>): Losses {
  return {
    items: items.map((item) => ({ ...item, amount: BigInt(item.amount), charge: BigInt(item.charge) })),
    guard: guard === null ? null : BigInt(guard),
  };
}

function toOutcome(cells: HotSettle | HotRelease): Outcome {
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
      seconds: cells[26],
      characters: cells[27],
      searches: cells[28],
    },
    reasoning: cells[14],
    estimated: cells[15],
    firstTokenMs: cells[16],
    totalMs: cells[17],
    attempts: cells[18],
    rule: cells[19] ?? undefined,
    serviceTier: cells[21],
    toolCalls: cells[22],
    pricedAt: cells[24],
    upstreamCost: cells[25] === null ? null : BigInt(cells[25]),
  };
  return whole;
}

/** The cells of common answers, which their lengths distinguish; others are written unchanged. */
type AnswerCells = AdmittedCells | ClosedCells;
type AdmittedCells = [
  held: MoneyCell,
  granted: number,
  balance: MoneyCell,
  limit: number,
  used: number,
  remaining: number,
  resetsAt: number,
];
type ClosedCells = [charged: MoneyCell, writtenOff: MoneyCell, balance: MoneyCell];

export function encodeAnswers(id: number, decided: readonly Decided[]): string | undefined {
  try {
    return JSON.stringify([id, ...decided.map(toCells)]);
  } catch {
    return undefined;
  }
}

export function decodeAnswers(text: string): { id: number; decided: Decided[] } {
  const [id, ...answers] = JSON.parse(text) as [number, ...(AnswerCells | Decided)[]];
  return { id, decided: answers.map((answer) => (Array.isArray(answer) ? toDecided(answer) : answer)) };
}

function toCells(answer: Decided): AnswerCells | Decided {
  if (!answer.ok || !answer.result) return answer;
  const { result } = answer;
  if ('charged' in result && !result.lossGuard) {
    return [moneyCell(result.charged), moneyCell(result.writtenOff), moneyCell(result.balance)];
  }
  if (!('granted' in result) || result.tokenAllowance || result.nearBudgets) return answer;
  const { held, granted, balance, allowance } = result;
  const { limit, used, remaining, resetsAt } = allowance;
  return [moneyCell(held), granted, moneyCell(balance), limit, used, remaining, resetsAt];
}

function toDecided(cells: AnswerCells): Decided {
  if (cells.length === 3) {
    const [charged, writtenOff, balance] = cells;
    return {
      ok: true,
      result: { state: 'closed', charged: BigInt(charged), writtenOff: BigInt(writtenOff), balance: BigInt(balance) },
    };
  }
  const [held, granted, balance, limit, used, remaining, resetsAt] = cells;
  const allowance = { limit, used, remaining, resetsAt };
  return { ok: true, result: { ok: true, held: BigInt(held), granted, balance: BigInt(balance), allowance } };
}
