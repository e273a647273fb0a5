// What a second count of the books sees: each operation that the database has committed, once and in the order of the commits.

import type { Operation, OperationName, Result } from '../../src/store/operations.ts';
import type { Violation } from './violation.ts';

export type Committed = {
  [Name in OperationName]: Extract<Operation, { name: Name }> & { result: Result<Name> };
}[OperationName];

export interface CommitWatch {
  readonly violations: Violation[];
  committed(operation: Committed): void;
}

/** How a hold was closed; undefined for another operation, and if it was closed before. */
export function closeIn(operation: Committed) {
  const { name } = operation;
  if (name !== 'settle' && name !== 'release' && name !== 'undo' && name !== 'sweep') return undefined;
  const { input, result } = operation;
  if (result.state !== 'closed') return undefined;
  const givesBack = name === 'release' ? operation.input.giveBackSlots : name !== 'settle';
  const at = 'outcome' in input ? input.outcome.at : input.at;
  return {
    requestId: input.requestId,
    accountId: input.accountId,
    at,
    givesBack,
    charged: result.charged,
    balance: result.balance,
  };
}

const TAIPEI_MS = 8 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Days in Taipei since 1970-01-01. */
export function dayOf(at: number): number {
  return Math.floor((at + TAIPEI_MS) / DAY_MS);
}

/** Months in Taipei since the year 0. */
export function monthOf(at: number): number {
  const there = new Date(at + TAIPEI_MS);
  return there.getUTCFullYear() * 12 + there.getUTCMonth();
}
