// Every read of the store, each written once. Both stores and the interface they offer are made of this table. Each read
// is answered from one consistent snapshot.

import { ACCOUNT_LIST_READS } from './account-list.ts';
import { ACCOUNT_READS } from './account-reads.ts';
import { AUDIT } from './audit-read.ts';
import { CARD_READS } from './card-reads.ts';
import { EVENT_READS } from './event-reads.ts';
import { LEDGER_READS } from './ledger-reads.ts';
import { OPERATOR_READS } from './operator-reads.ts';
import { PROFIT_READS } from './profit-reads.ts';
import type { Read } from './read.ts';
import { REFUSAL_READS } from './refusals.ts';
import { REVISION_READS } from './revision-reads.ts';
import { STATEMENT_READS } from './statement-reads.ts';
import { USAGE_READS } from './usage-reads.ts';

/** No two files have a read of the same name. */
const TABLE = {
  ...ACCOUNT_LIST_READS,
  ...ACCOUNT_READS,
  ...CARD_READS,
  ...EVENT_READS,
  ...LEDGER_READS,
  ...OPERATOR_READS,
  ...PROFIT_READS,
  ...REFUSAL_READS,
  ...REVISION_READS,
  ...STATEMENT_READS,
  ...USAGE_READS,
  /** Recomputes the ledger's invariants in one snapshot. */
  audit: AUDIT,
};

export type ReadName = keyof typeof TABLE;

export type Reads = {
  [Name in ReadName]: (typeof TABLE)[Name] extends Read<infer Args, infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never;
};

export const READS: Readonly<Record<ReadName, Read<unknown[], unknown>>> = TABLE;

export const READ_NAMES = Object.keys(READS) as ReadName[];

/** The reads of a store, of which each is answered by one function. */
export function readsFrom(answer: (name: ReadName, args: unknown[]) => Promise<unknown>): Reads {
  return Object.fromEntries(READ_NAMES.map((name) => [name, (...args: unknown[]) => answer(name, args)])) as {
    [Name in ReadName]: Reads[Name];
  };
}
