// Encodes the answers to a batch of hot-batches.ts as one JSON text. Common answers are cells with money as decimal digits;
// others are written unchanged. If one of them contains a bigint, the result is undefined, and all are sent by structured
// clone.

import type { Decided } from '../book/decide.ts';

/** Their lengths distinguish them. */
type AnswerCells = AdmittedCells | ClosedCells;
type AdmittedCells = [
  held: string,
  granted: number,
  balance: string,
  limit: number,
  used: number,
  remaining: number,
  resetsAt: number,
];
type ClosedCells = [charged: string, writtenOff: string, balance: string];

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
    return [result.charged.toString(), result.writtenOff.toString(), result.balance.toString()];
  }
  if (!('granted' in result) || result.tokenAllowance || result.nearBudgets) return answer;
  const { held, granted, balance, allowance } = result;
  const { limit, used, remaining, resetsAt } = allowance;
  return [held.toString(), granted, balance.toString(), limit, used, remaining, resetsAt];
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
