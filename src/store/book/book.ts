// The pages of the store that operations touch, in memory. They read and change the book one after another; the driver
// then writes what changed: after each batch, in the transaction it was read in, or what many journaled batches came to.
// One logic serves every database, a wallet hit by fifty operations is written once, and an operation that throws is
// undone alone.

import { assert } from '../../kit/assert.ts';
import type {
  Action,
  Budget,
  Card,
  CardBatch,
  Entry,
  Hold,
  Incident,
  KeyRow,
  Lease,
  Login,
  LoginName,
  Replay,
  Revision,
  Setting,
  TrafficHour,
  UsageRecord,
  Wallet,
  Window,
} from '../rows.ts';

/** The order in which rows are locked. A page that is missing here is no PageTable: nobody can look it up. */
export const PAGE_TABLES = [
  'wallets',
  'windows',
  'budgets',
  'holds',
  'leases',
  'cards',
  'replays',
  'traffic',
  'settings',
  'incidents',
  'loginNames',
  'logins',
  'keyrings',
] as const;
export type PageTable = (typeof PAGE_TABLES)[number];

/** Rows that operations look up by id. */
export interface Pages {
  wallets: Wallet;
  windows: Window;
  budgets: Budget;
  holds: Hold;
  leases: Lease;
  cards: Card;
  replays: Replay;
  traffic: TrafficHour;
  settings: Setting;
  incidents: Incident;
  loginNames: LoginName;
  logins: Login;
  /** All keys of an account, under the lock of its wallet. */
  keyrings: readonly KeyRow[];
}

/** With its line for the log of actions, which names the number that the database gives it. */
export interface NewRevision extends Omit<Revision, 'revision'> {
  log: Action;
}

/** Rows that are only ever added. */
export interface Additions {
  accounts: { accountId: string; createdAt: number };
  entries: Entry;
  usage: UsageRecord;
  cardBatches: CardBatch;
  revisions: NewRevision;
  actions: Action;
}

export interface Touch {
  table: PageTable;
  id: string;
}

type Loader = <T extends PageTable>(table: T, id: string) => Pages[T] | undefined;

type PageMaps = { [T in PageTable]: Map<string, Pages[T] | undefined> };
type AdditionLists = { [T in keyof Additions]: Additions[T][] };

function emptyPages(): PageMaps {
  return {
    wallets: new Map(),
    windows: new Map(),
    budgets: new Map(),
    holds: new Map(),
    leases: new Map(),
    cards: new Map(),
    replays: new Map(),
    traffic: new Map(),
    settings: new Map(),
    incidents: new Map(),
    loginNames: new Map(),
    logins: new Map(),
    keyrings: new Map(),
  };
}

export interface Change<Row> {
  id: string;
  before: Row | undefined;
  after: Row | undefined;
}

type Undo = { table: PageTable; id: string; before: unknown; isFirst: boolean } | { added: keyof Additions };

export class Book {
  readonly #load: Loader;
  readonly #pages: PageMaps = emptyPages();
  /** What stood on a page when it was first changed. */
  readonly #changed: PageMaps = emptyPages();
  readonly added: AdditionLists = {
    accounts: [],
    entries: [],
    usage: [],
    cardBatches: [],
    revisions: [],
    actions: [],
  };
  /** What the running operation has replaced and added, the newest last. */
  readonly #undo: Undo[] = [];
  #steps = 0;

  constructor(load: Loader) {
    this.#load = load;
  }

  /** Counts up with everything that is put or added. */
  get steps(): number {
    return this.#steps;
  }

  get<T extends PageTable>(table: T, id: string): Pages[T] | undefined {
    const pages: Map<string, Pages[T] | undefined> = this.#pages[table];
    const known = pages.get(id);
    if (known !== undefined || pages.has(id)) return known;
    const row = this.#load(table, id);
    pages.set(id, row);
    return row;
  }

  /** What stands on a page that was looked up before. */
  peek<T extends PageTable>(table: T, id: string): Pages[T] | undefined {
    const pages: Map<string, Pages[T] | undefined> = this.#pages[table];
    return pages.get(id);
  }

  put<T extends PageTable>(table: T, id: string, row: Pages[T] | undefined): void {
    const before = this.get(table, id);
    const pages: Map<string, Pages[T] | undefined> = this.#pages[table];
    const changed: Map<string, Pages[T] | undefined> = this.#changed[table];
    const isFirst = !changed.has(id);
    if (isFirst) changed.set(id, before);
    this.#steps++;
    this.#undo.push({ table, id, before, isFirst });
    pages.set(id, row);
  }

  add<T extends keyof Additions>(table: T, row: Additions[T]): void {
    const rows: Additions[T][] = this.added[table];
    rows.push(row);
    this.#steps++;
    this.#undo.push({ added: table });
  }

  /** What to write: a page that had no row is new, one that has none now is gone. */
  changes<T extends PageTable>(table: T): Change<Pages[T]>[] {
    const changed: Map<string, Pages[T] | undefined> = this.#changed[table];
    return [...changed].map(([id, before]) => ({ id, before, after: this.get(table, id) }));
  }

  /** Runs one operation; if it throws, the book is as it was before. */
  attempt<Result>(operation: () => Result): Result {
    assert(this.#undo.length === 0, 'operations do not nest');
    try {
      return operation();
    } catch (error) {
      for (const undo of this.#undo.reverse()) this.#takeBack(undo);
      throw error;
    } finally {
      this.#undo.length = 0;
    }
  }

  #takeBack(undo: Undo): void {
    if ('added' in undo) {
      this.added[undo.added].pop();
      return;
    }
    const pages: Map<string, unknown> = this.#pages[undo.table];
    pages.set(undo.id, undo.before);
    if (undo.isFirst) this.#changed[undo.table].delete(undo.id);
  }
}
