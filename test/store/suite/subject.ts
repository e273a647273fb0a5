// A store under test, and beside it a way to look at its rows and to tamper with them.

import type { Store } from '../../../src/store/store.ts';

export interface StoreSubject {
  store: Store;
  /** What stands in the rows, integers as bigint. Only SQL that both databases understand. */
  sql(query: string): Promise<Record<string, unknown>[]>;
  /** A hand that should not be there: triggers and references do not hold it back. */
  plant(statement: string): Promise<void>;
  close(): Promise<void>;
}

/** A fresh, empty store. */
export type OpenSubject = () => Promise<StoreSubject>;
