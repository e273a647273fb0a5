// The table of operations: the pages that each one touches, and the function that decides it.

import { AssertionFailed } from '../../kit/assert.ts';
import { type Failpoint, failpoint } from '../../kit/failpoint.ts';
import { ACCOUNT_NOTES } from './account-notes.ts';
import { ADMISSION } from './admit.ts';
import { BALANCE_EVENTS } from './balance-low.ts';
import type { Book, Touch } from './book.ts';
import { CARD_OPERATIONS } from './cards.ts';
import { CLOSES } from './close.ts';
import { KEYRING } from './keyring.ts';
import { LOGIN_OPERATIONS } from './logins.ts';
import { LATE_LOSSES } from './losses.ts';
import { OPERATOR_OPERATIONS } from './operator.ts';
import { REDEMPTION } from './redeem.ts';
import { REFUNDS } from './refund.ts';
import { REGISTRATION } from './register.ts';
import { TRAFFIC_SUMS } from './traffic.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

const OPERATIONS = {
  ...ACCOUNT_NOTES,
  ...ADMISSION,
  ...BALANCE_EVENTS,
  ...CARD_OPERATIONS,
  ...CLOSES,
  ...KEYRING,
  ...LATE_LOSSES,
  ...LOGIN_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  ...REDEMPTION,
  ...REFUNDS,
  ...REGISTRATION,
  ...TRAFFIC_SUMS,
  ...WEBHOOK_OPERATIONS,
};

export type OperationName = keyof typeof OPERATIONS;
type Inputs = { [Name in OperationName]: Parameters<(typeof OPERATIONS)[Name]['decide']>[1] };
type Results = { [Name in OperationName]: ReturnType<(typeof OPERATIONS)[Name]['decide']> };
export type Input<Name extends OperationName> = Inputs[Name];
export type Result<Name extends OperationName> = Results[Name];

/** One operation as it is sent to the writer. */
export type Operation = { [Name in OperationName]: { name: Name; input: Input<Name> } }[OperationName];

export function touches<Name extends OperationName>(name: Name, input: Input<Name>): Touch[] {
  return OPERATIONS[name].touches(input as never);
}

export type Decided =
  | { ok: true; result: Result<OperationName> }
  /** Nothing was written: the operation breaks a rule, or the database went away before its turn. */
  | { ok: false; error: string; unavailable?: true }
  /** Nothing was written, because another transaction has locked pages of the operation; lists them if they are known. */
  | { ok: false; error: string; lockedPages: readonly string[] };

/** An error of one operation alone: a broken rule, or a bug. */
const OWN_MISTAKES = [AssertionFailed, TypeError, RangeError, SyntaxError];

/**
 * Decides a batch in order. An operation that breaks a rule is undone alone; what the database itself throws ends the whole
 * batch.
 */
export function decideBatch(book: Book, operations: readonly Operation[]): Decided[] {
  return operations.map((operation) => {
    try {
      return { ok: true, result: book.attempt(() => decide(book, operation)) };
    } catch (error) {
      const isOwn = OWN_MISTAKES.some((kind) => error instanceof kind);
      if (isOwn && error instanceof Error) return { ok: false, error: error.message };
      throw error;
    }
  });
}

function decide(book: Book, { name, input }: Operation): Result<OperationName> {
  return OPERATIONS[name].decide(book, input as never);
}

/** Where a test kills the process inside a commit: everything is decided, nothing is durable yet. */
const KILLED_INSIDE: Partial<Record<OperationName, Failpoint>> = {
  admit: 'inside-admit',
  settle: 'inside-settle',
  redeem: 'inside-redeem',
  register: 'inside-register',
};

export function failInside(operations: readonly Operation[]): void {
  for (const { name } of operations) failpoint(KILLED_INSIDE[name]);
}
