// What the revisions changed for the public: models that came, went, or have another price, with the prices before and
// after. Revisions never change, so each is read once, and only those that changed something are kept.

import type { Prices } from '../../kit/prices.ts';
import type { Revision } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { buildCatalog, type Model } from '../catalog.ts';
import { readStoredDocument } from '../read-document.ts';

/** What a visitor can compare; prices that do not apply to the model are left out. */
export interface ListedPrice {
  isFree: boolean;
  prices: Readonly<Partial<Prices>>;
}

export interface ModelChange {
  id: string;
  /** Undefined where the model came. */
  before: ListedPrice | undefined;
  /** Undefined where it went. */
  after: ListedPrice | undefined;
}

export interface PriceChange {
  revision: number;
  since: number;
  /** No revision was before it: everything is new. */
  isFirst: boolean;
  /** By id. */
  changes: readonly ModelChange[];
}

export interface PriceHistory {
  /** Newest first. */
  changes: readonly PriceChange[];
  /** Below the revision it was asked for where the store did not answer: later changes are not known. */
  upTo: number;
}

/** As the columns of a price list stand. */
export const PRICE_ORDER = ['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'output', 'image'] as const;

type PriceList = ReadonlyMap<string, ListedPrice>;

/** More than these are not kept. */
export const MOST_PRICE_CHANGES = 100;

/**
 * Up to a revision. A first question reads every revision, a later one only those since; while the store does
 * not answer, what is known is told.
 */
export function createPriceHistory(store: Pick<Store, 'read'>): (newest: number) => Promise<PriceHistory> {
  let told: readonly PriceChange[] = [];
  let upTo = 0;
  let isFirst = true;
  let list: PriceList = new Map();
  let signature: string | undefined;
  let reading: Promise<void> = Promise.resolve();

  function add(stored: Revision): void {
    const { revision, createdAt: since } = stored;
    const signed = signatureOf(stored.document);
    if (signed === undefined || signed !== signature) {
      const next = priceList(stored);
      // What this version cannot read has nothing to tell.
      if (next) {
        const changes = compare(list, next);
        if (changes.length > 0) told = [{ revision, since, isFirst, changes }, ...told].slice(0, MOST_PRICE_CHANGES);
        list = next;
        signature = signed;
      }
    }
    isFirst = false;
  }

  /** One after the other: in between others have their turn, and what failed goes on where it was. */
  async function read(newest: number): Promise<void> {
    while (upTo < newest) {
      const stored = await store.read.revision(upTo + 1);
      if (stored) add(stored);
      upTo++;
    }
  }

  return async (newest) => {
    if (upTo < newest) {
      reading = reading.then(() => read(newest)).catch(() => {});
      await reading;
    }
    return { changes: told.filter(({ revision }) => revision <= newest), upTo: Math.min(upTo, newest) };
  };
}

/** Equal for documents with equal price lists, and cheap, as most revisions change no price; undefined if it is no JSON. */
function signatureOf(document: string): string | undefined {
  try {
    const { models }: { models?: unknown } = JSON.parse(document);
    if (!Array.isArray(models)) return undefined;
    return JSON.stringify(models.map(({ id, kinds, price }: Record<string, unknown>) => [id, kinds, price]));
  } catch {
    return undefined;
  }
}

function priceList({ document, revision, createdAt }: Revision): PriceList | undefined {
  const read = readStoredDocument(document);
  if (!read.ok) return undefined;
  const { models } = buildCatalog(read.document, revision, createdAt);
  return new Map(models.map((model) => [model.id, listedPrice(model)]));
}

/** Prices alone: a model that takes more or has another name costs what it did. */
function listedPrice({ free, priced, prices }: Model): ListedPrice {
  return { isFree: free, prices: Object.fromEntries([...priced].map((name) => [name, prices[name]])) };
}

function compare(before: PriceList, after: PriceList): ModelChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .map((id) => ({ id, before: before.get(id), after: after.get(id) }))
    .filter((change) => !isSame(change.before, change.after));
}

function isSame(before: ListedPrice | undefined, after: ListedPrice | undefined): boolean {
  if (!before || !after || before.isFree !== after.isFree) return false;
  return PRICE_ORDER.every((name) => before.prices[name] === after.prices[name]);
}
