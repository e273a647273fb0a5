// The answers to a batch of the operations that every request makes, as one JSON text: money as decimal digits, fields in
// a fixed order. Answers of any other form travel as they are: encoding them answers undefined.

import type { Decided } from '../book/decide.ts';
import type { AdmitResult, CloseResult } from '../operations.ts';

type Refused = Extract<AdmitResult, { ok: false }>;
type RefusedFor<Field extends string> = Extract<Refused, Record<Field, unknown>>;
type Closed = Extract<CloseResult, { state: 'closed' }>;
type Plain = Exclude<Refused, { allowance: unknown } | { needed: unknown }>;

/** They are told apart by their length. */
type AnswerCells =
  | AdmittedCells
  | [...LimitedCells, isOfAddress: true]
  | LimitedCells
  | PoorCells
  | ClosedCells
  | GuardedCells
  | [mark: 0, error: string]
  | [reason: Plain['reason']]
  | LateCells;
type AdmittedCells = [
  held: string,
  granted: number,
  balance: string,
  limit: number,
  used: number,
  remaining: number,
  resetsAt: number,
];
type LimitedCells = [
  reason: RefusedFor<'allowance'>['reason'],
  limit: number,
  used: number,
  remaining: number,
  resetsAt: number,
];
type PoorCells = [reason: RefusedFor<'needed'>['reason'], needed: string, available: string, affordableTokens: number];
type ClosedCells = [charged: string, writtenOff: string, balance: string];
/**
 * Closed by the guard of losses. Rare, so it is filled up to a length that no other answer has. An older version, which
 * charged losses beyond the guard whole, wrote 0 for `freeLosses`.
 */
type GuardedCells = [...ClosedCells, lossGuard: 'reached' | 'beyond', freeLosses: string | 0, 0, 0, 0];
type LateCells = [];

export function encodeAnswers(id: number, decided: readonly Decided[]): string | undefined {
  const cells: (number | AnswerCells)[] = [id];
  for (const answer of decided) {
    const encoded = answerCells(answer);
    if (!encoded) return undefined;
    cells.push(encoded);
  }
  return JSON.stringify(cells);
}

export function decodeAnswers(text: string): { id: number; decided: Decided[] } {
  const [id, ...answers] = JSON.parse(text) as [number, ...AnswerCells[]];
  return { id, decided: answers.map(toDecided) };
}

/** Some of the answers are of the older version. */
export function hasChargedWhole(text: string): boolean {
  const [, ...answers] = JSON.parse(text) as [number, ...AnswerCells[]];
  return answers.some((cells) => cells.length === 8 && cells[4] === 0);
}

function answerCells(answer: Decided): AnswerCells | undefined {
  if (!answer.ok) return 'lockedPages' in answer || answer.unavailable ? undefined : [0, answer.error];
  const { result } = answer;
  if (!result) return undefined;
  if ('charged' in result) return closedCells(result);
  if ('granted' in result) {
    const { held, granted, balance, allowance } = result;
    const { limit, used, remaining, resetsAt } = allowance;
    return [held.toString(), granted, balance.toString(), limit, used, remaining, resetsAt];
  }
  if (isRefusedAdmission(result)) return refusedCells(result);
  return 'state' in result && result.state === 'late' ? [] : undefined;
}

function closedCells({ charged, writtenOff, balance, lossGuard, freeLosses }: Closed): ClosedCells | GuardedCells {
  const cells: ClosedCells = [charged.toString(), writtenOff.toString(), balance.toString()];
  return lossGuard ? [...cells, lossGuard, freeLosses?.toString() ?? 0, 0, 0, 0] : cells;
}

/** By which a refusal of an admission is told from those of other operations. */
const REASONS: Record<Refused['reason'], true> = {
  lease_lost: true,
  wallet_frozen: true,
  account_unknown: true,
  insufficient_balance: true,
  balance_in_use: true,
  key_budget_exceeded: true,
  budget_in_use: true,
  free_minute_limit: true,
  free_daily_limit: true,
  rate_limited: true,
  too_many_in_flight: true,
};

function isRefusedAdmission(result: object): result is Refused {
  return 'reason' in result && typeof result.reason === 'string' && Object.hasOwn(REASONS, result.reason);
}

function refusedCells(result: Refused): AnswerCells {
  if ('needed' in result) {
    return [result.reason, result.needed.toString(), result.available.toString(), result.affordableTokens];
  }
  if (!('allowance' in result)) return [result.reason];
  const { limit, used, remaining, resetsAt } = result.allowance;
  const cells: LimitedCells = [result.reason, limit, used, remaining, resetsAt];
  return result.isOfAddress ? [...cells, true] : cells;
}

function toDecided(cells: AnswerCells): Decided {
  return cells.length === 2 ? { ok: false, error: cells[1] } : { ok: true, result: toResult(cells) };
}

function toResult(cells: Exclude<AnswerCells, [0, string]>): AdmitResult | CloseResult {
  switch (cells.length) {
    case 0:
      return { state: 'late' };
    case 1:
      return { ok: false, reason: cells[0] };
    case 3:
      return toClosed(cells);
    case 8:
      return { ...toClosed(cells), lossGuard: cells[3], freeLosses: cells[4] === 0 ? undefined : BigInt(cells[4]) };
    case 4: {
      const [reason, needed, available, affordableTokens] = cells;
      return { ok: false, reason, needed: BigInt(needed), available: BigInt(available), affordableTokens };
    }
    case 5:
    case 6: {
      const [reason, limit, used, remaining, resetsAt] = cells;
      const refused = { ok: false as const, reason, allowance: { limit, used, remaining, resetsAt } };
      return cells.length === 6 ? { ...refused, isOfAddress: true } : refused;
    }
    case 7: {
      const [held, granted, balance, limit, used, remaining, resetsAt] = cells;
      const allowance = { limit, used, remaining, resetsAt };
      return { ok: true, held: BigInt(held), granted, balance: BigInt(balance), allowance };
    }
  }
}

function toClosed([charged, writtenOff, balance]: ClosedCells | GuardedCells): Closed {
  return { state: 'closed', charged: BigInt(charged), writtenOff: BigInt(writtenOff), balance: BigInt(balance) };
}
