// The pages of the store that one batch touches, in memory. Operations read and change the book one after another;
// the driver then writes what changed, in the same transaction it was read in. One logic serves every database,
// a wallet hit by fifty operations is written once, and an operation that throws is undone alone.

import { assert } from '../../kit/assert.ts';
import type { Entry, Hold, KeyRow, Lease, Revision, UsageRecord, Wallet, Window } from '../rows.ts';

/** Rows that operations look up by id. */
export interface Pages {
  wallets: Wallet;
  windows: Window;
  holds: Hold;
  leases: Lease;
}

/** Rows that are only ever added. */
export interface Additions {
  accounts: { accountId: string; createdAt: number };
  keys: KeyRow;
  entries: Entry;
  usage: UsageRecord;
  revisions: Omit<Revision, 'revision'>;
}

export type PageTable = keyof Pages;
export const PAGE_TABLES: readonly PageTable[] = ['wallets', 'windows', 'holds', 'leases'];

export interface Touch {
  table: PageTable;
  id: string;
}

type Loader = <T extends PageTable>(table: T, id: string) => Pages[T] | undefined;

type PageMaps = { [T in PageTable]: Map<string, Pages[T] | undefined> };
type AdditionLists = { [T in keyof Additions]: Additions[T][] };

export class Book {
  readonly #load: Loader;
  readonly #pages: PageMaps = {
    wallets: new Map(),
    windows: new Map(),
    holds: new Map(),
    leases: new Map(),
  };
  readonly #changed: { [T in PageTable]: Set<string> } = {
    wallets: new Set(),
    windows: new Set(),
    holds: new Set(),
    leases: new Set(),
  };
  readonly added: AdditionLists = { accounts: [], keys: [], entries: [], usage: [], revisions: [] };
  #undo: (() => void)[] = [];

  constructor(load: Loader) {
    this.#load = load;
  }

  get<T extends PageTable>(table: T, id: string): Pages[T] | undefined {
    const pages: Map<string, Pages[T] | undefined> = this.#pages[table];
    if (pages.has(id)) return pages.get(id);
    const row = this.#load(table, id);
    pages.set(id, row);
    return row;
  }

  put<T extends PageTable>(table: T, id: string, row: Pages[T] | undefined): void {
    const before = this.get(table, id);
    const pages: Map<string, Pages[T] | undefined> = this.#pages[table];
    const changed = this.#changed[table];
    const wasChanged = changed.has(id);
    this.#undo.push(() => {
      pages.set(id, before);
      if (!wasChanged) changed.delete(id);
    });
    pages.set(id, row);
    changed.add(id);
  }

  add<T extends keyof Additions>(table: T, row: Additions[T]): void {
    const rows: Additions[T][] = this.added[table];
    const length = rows.push(row);
    this.#undo.push(() => rows.splice(length - 1));
  }

  /** Ids and rows to write; an undefined row is to be deleted. */
  changes<T extends PageTable>(table: T): (readonly [id: string, row: Pages[T] | undefined])[] {
    return [...this.#changed[table]].map((id) => [id, this.get(table, id)] as const);
  }

  /** Runs one operation; if it throws, the book is as it was before. */
  attempt<Result>(operation: () => Result): Result {
    assert(this.#undo.length === 0, 'operations do not nest');
    try {
      return operation();
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    } finally {
      this.#undo = [];
    }
  }
}
