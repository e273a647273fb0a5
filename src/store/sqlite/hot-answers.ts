// The answers to a batch of the operations that every request makes, as one JSON text: money as decimal digits, fields in
// a fixed order. Answers of any other form travel as they are: encoding them answers undefined.

import type { Decided } from '../book/decide.ts';
import type { Admitted, CloseResult } from '../operations.ts';

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
/** They are told apart by their length. */
type AnswerCells = AdmittedCells | ClosedCells | [];

export function encodeAnswers(id: number, decided: readonly Decided[]): string | undefined {
  const cells: (number | AnswerCells)[] = [id];
  for (const answer of decided) {
    const encoded = answer.ok ? answerCells(answer.result) : undefined;
    if (!encoded) return undefined;
    cells.push(encoded);
  }
  return JSON.stringify(cells);
}

export function decodeAnswers(text: string): { id: number; decided: Decided[] } {
  const [id, ...answers] = JSON.parse(text) as [number, ...AnswerCells[]];
  return { id, decided: answers.map((cells) => ({ ok: true, result: toResult(cells) })) };
}

function answerCells(result: Extract<Decided, { ok: true }>['result']): AnswerCells | undefined {
  if (!result) return undefined;
  if ('charged' in result) return [result.charged.toString(), result.writtenOff.toString(), result.balance.toString()];
  if ('granted' in result) {
    const { held, granted, balance, allowance } = result;
    const { limit, used, remaining, resetsAt } = allowance;
    return [held.toString(), granted, balance.toString(), limit, used, remaining, resetsAt];
  }
  return 'state' in result && result.state === 'late' ? [] : undefined;
}

function toResult(cells: AnswerCells): Admitted | CloseResult {
  if (cells.length === 0) return { state: 'late' };
  if (cells.length === 3) {
    const [charged, writtenOff, balance] = cells;
    return { state: 'closed', charged: BigInt(charged), writtenOff: BigInt(writtenOff), balance: BigInt(balance) };
  }
  const [held, granted, balance, limit, used, remaining, resetsAt] = cells;
  return {
    ok: true,
    held: BigInt(held),
    granted,
    balance: BigInt(balance),
    allowance: { limit, used, remaining, resetsAt },
  };
}
