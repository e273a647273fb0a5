// Public price changes between revisions: models added, removed or with another price. Revisions never change, so each
// is read once, and only those with a change are kept.

import { isDeepStrictEqual } from 'node:util';
import type { PriceRules, Prices } from '../../kit/prices.ts';
import type { Revision } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { buildCatalog, type Model } from '../catalog.ts';
import { PRICE_ORDER } from '../listed-prices.ts';
import { readStoredDocument } from '../read-document.ts';

/** Without prices that do not apply to the model. */
export interface ListedPrice {
  isFree: boolean;
  prices: Readonly<Partial<Prices>>;
  rules: PriceRules | undefined;
}

export interface ModelChange {
  id: string;
  /** Undefined if the model was added. */
  before: ListedPrice | undefined;
  /** Undefined if it was removed. */
  after: ListedPrice | undefined;
}

export interface PriceChange {
  revision: number;
  since: number;
  /** The first revision: everything is new. */
  isFirst: boolean;
  /** Sorted by id. */
  changes: readonly ModelChange[];
}

export interface PriceHistory {
  /** Newest first. */
  changes: readonly PriceChange[];
  /** Lower than the requested revision if the store did not answer: later changes are unknown. */
  upTo: number;
}

type ListedPrices = ReadonlyMap<string, ListedPrice>;

/** Older changes are dropped. */
export const MOST_PRICE_CHANGES = 100;

/**
 * Returns the changes up to a revision. The first call reads every revision, later ones only those since; while the
 * store does not answer, it returns what it has read.
 */
export function createPriceHistory(store: Pick<Store, 'read'>): (newest: number) => Promise<PriceHistory> {
  let known: readonly PriceChange[] = [];
  let upTo = 0;
  let isFirst = true;
  let list: ListedPrices = new Map();
  let signature: string | undefined;
  let reading: Promise<void> = Promise.resolve();

  function add(stored: Revision): void {
    const { revision, createdAt: since } = stored;
    const signed = signatureOf(stored.document);
    if (signed === undefined || signed !== signature) {
      const next = priceList(stored);
      // A revision that this version cannot read is skipped.
      if (next) {
        const changes = compare(list, next);
        if (changes.length > 0) known = [{ revision, since, isFirst, changes }, ...known].slice(0, MOST_PRICE_CHANGES);
        list = next;
        signature = signed;
      }
    }
    isFirst = false;
  }

  /** Reads one at a time, so that other work can run in between; after a failure it continues where it stopped. */
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
    return { changes: known.filter(({ revision }) => revision <= newest), upTo: Math.min(upTo, newest) };
  };
}

/** Equal for equal price lists, and cheap, as most revisions change no price; undefined if it is not JSON. */
function signatureOf(document: string): string | undefined {
  try {
    const { models }: { models?: unknown } = JSON.parse(document);
    if (!Array.isArray(models)) return undefined;
    return JSON.stringify(models.map(({ id, kinds, price }: Record<string, unknown>) => [id, kinds, price]));
  } catch {
    return undefined;
  }
}

function priceList({ document, revision, createdAt }: Revision): ListedPrices | undefined {
  const read = readStoredDocument(document);
  if (!read.ok) return undefined;
  const { models } = buildCatalog(read.document, revision, createdAt);
  return new Map(models.map((model) => [model.id, listedPrice(model)]));
}

/** Prices only: other changes of a model do not count. */
function listedPrice({ free, priced, prices }: Model): ListedPrice {
  const listed = Object.fromEntries([...priced].map((name) => [name, prices[name]]));
  return { isFree: free, prices: listed, rules: prices.rules };
}

function compare(before: ListedPrices, after: ListedPrices): ModelChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .map((id) => ({ id, before: before.get(id), after: after.get(id) }))
    .filter((change) => !isSame(change.before, change.after));
}

function isSame(before: ListedPrice | undefined, after: ListedPrice | undefined): boolean {
  if (!before || !after || before.isFree !== after.isFree) return false;
  return PRICE_ORDER.every((name) => before.prices[name] === after.prices[name]) && hasSameRules(before, after);
}

export function hasSameRules(before: ListedPrice, after: ListedPrice): boolean {
  return isDeepStrictEqual(before.rules, after.rules);
}
