// The pages that operations touch, in memory. Operations read and change them one after another. The driver then writes the
// changed pages: after each batch in the same transaction, or for many journaled batches together. The same code serves
// every database, a wallet changed by fifty operations is written once, and an operation that throws is undone alone.

import { assert } from '../../kit/assert.ts';
import type { KeyRow } from '../rows.ts';
import type { Additions, Pages, PageTable } from '../tables.ts';

export interface Touch {
  table: PageTable;
  id: string;
}

/** Operations by their names: all pages that each may read or put, known from its input alone, and the function that decides it. */
export type Operations = Readonly<
  Record<string, { touches(input: never): Touch[]; decide(book: Book, input: never): unknown }>
>;

type Loader = <T extends PageTable>(table: T, id: string) => Pages[T] | undefined;

/** The pages of one table that were looked up, and which of them were changed. */
interface TablePages<Row> {
  pages: Map<string, Change<Row>>;
  /** In the order in which they were first changed. */
  changed: Set<Change<Row>>;
}

type PagesByTable = { [T in PageTable]?: TablePages<Pages[T]> };
/** One added row. */
type Added = { [T in keyof Additions]: { table: T; row: Additions[T] } }[keyof Additions];
type AdditionLists = { [T in keyof Additions]: Additions[T][] };

/** A page: its row in the database, and its new row. */
export interface Change<Row> {
  readonly id: string;
  readonly before: Row | undefined;
  after: Row | undefined;
}

type Undo = { table: PageTable; page: Change<unknown>; was: unknown; isFirst: boolean } | { added: keyof Additions };

export class Book {
  readonly #load: Loader;
  readonly #tables: PagesByTable = {};
  readonly added: AdditionLists = {
    accounts: [],
    entries: [],
    usage: [],
    losses: [],
    cardBatches: [],
    revisions: [],
    actions: [],
    events: [],
  };
  /** Rows that the running operation replaced and added, the newest last. */
  readonly #undo: Undo[] = [];
  #steps = 0;
  /** The pages put since the batch began, including those of undone operations. */
  readonly #batchPages = new Map<Change<Pages[PageTable]>, PageTable>();
  readonly #batchRows: Added[] = [];

  constructor(load: Loader) {
    this.#load = load;
  }

  /** Counts up with everything that is put or added. */
  get steps(): number {
    return this.#steps;
  }

  get<T extends PageTable>(table: T, id: string): Pages[T] | undefined {
    return this.#page(table, id).after;
  }

  put<T extends PageTable>(table: T, id: string, row: Pages[T] | undefined): void {
    const page = this.#page(table, id);
    const { changed } = this.#table(table);
    const isFirst = !changed.has(page);
    if (isFirst) changed.add(page);
    this.#steps++;
    this.#batchPages.set(page, table);
    this.#undo.push({ table, page, was: page.after, isFirst });
    page.after = row;
  }

  add<T extends keyof Additions>(table: T, row: Additions[T]): void {
    const rows: Additions[T][] = this.added[table];
    rows.push(row);
    this.#batchRows.push({ table, row } as Added);
    this.#steps++;
    this.#undo.push({ added: table });
  }

  /** The rows to write. A page without a row before is an insert; one without a row now is a delete. */
  changes<T extends PageTable>(table: T): Change<Pages[T]>[] {
    return [...this.#table(table).changed];
  }

  /** Begins the next batch of a book that several batches share. */
  beginBatch(): void {
    this.#batchPages.clear();
    this.#batchRows.length = 0;
  }

  /** The pages that the batch put, each with its table. */
  get batchPages(): ReadonlyMap<Change<Pages[PageTable]>, PageTable> {
    return this.#batchPages;
  }

  /** The rows that the batch added, in their order. */
  get batchRows(): readonly Added[] {
    return this.#batchRows;
  }

  /** Runs one operation; if it throws, the book is as it was before. */
  attempt<Result>(operation: () => Result): Result {
    assert(this.#undo.length === 0, 'operations do not nest');
    try {
      return operation();
    } catch (error) {
      this.#takeAllBack();
      throw error;
    } finally {
      this.#undo.length = 0;
    }
  }

  /** Runs `act` inside an operation, returns its result and undoes all its changes. */
  preview<Result>(act: () => Result): Result {
    const steps = this.#steps;
    const result = act();
    this.#takeAllBack();
    this.#steps = steps;
    return result;
  }

  #takeAllBack(): void {
    for (const undo of this.#undo.reverse()) this.#takeBack(undo);
    this.#undo.length = 0;
  }

  #takeBack(undo: Undo): void {
    if ('added' in undo) {
      this.added[undo.added].pop();
      this.#batchRows.pop();
      return;
    }
    undo.page.after = undo.was;
    if (undo.isFirst) this.#table(undo.table).changed.delete(undo.page as Change<never>);
  }

  #page<T extends PageTable>(table: T, id: string): Change<Pages[T]> {
    const { pages } = this.#table(table);
    const known = pages.get(id);
    if (known) return known;
    const row = this.#load(table, id);
    const page = { id, before: row, after: row };
    pages.set(id, page);
    return page;
  }

  #table<T extends PageTable>(table: T): TablePages<Pages[T]> {
    const known = this.#tables[table];
    if (known) return known;
    const begun: TablePages<Pages[T]> = { pages: new Map(), changed: new Set() };
    this.#tables[table] = begun as PagesByTable[T];
    return begun;
  }
}

/** The single keys that a changed keyring adds or alters; keys are never deleted. */
export function changedKeys({ before = [], after = [] }: Change<readonly KeyRow[]>): Change<KeyRow>[] {
  const known = new Map(before.map((key) => [key.keyId, key]));
  return after
    .map((key) => ({ id: key.keyId, before: known.get(key.keyId), after: key }))
    .filter((change) => change.before !== change.after);
}
