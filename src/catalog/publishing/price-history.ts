// Public price changes: models added, removed or with another price, by a revision or at a date that it names. Revisions
// never change, so each is read once, and only those with a change are kept.

import { isDeepStrictEqual } from 'node:util';
import type { PriceRules, Prices } from '../../kit/prices.ts';
import type { Revision } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { buildCatalog, type Model } from '../catalog.ts';
import type { Document } from '../document.ts';
import { PRICE_ORDER } from '../listed-prices.ts';
import type { Fields } from '../loose-fields.ts';
import { readStoredDocument } from '../read-document.ts';
import { momentsOf } from '../schedule.ts';

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

/** A price list that a revision names for a later date. */
interface ScheduledList {
  revision: number;
  since: number;
  list: ListedPrices;
}

/** Older changes are dropped. */
export const MAX_PRICE_CHANGES = 100;

/**
 * Returns the changes up to a revision and a moment. The first call reads every revision, later ones only those since;
 * while the store does not answer, it returns what it has read.
 */
export function createPriceHistory(store: Pick<Store, 'read'>): (newest: number, now: number) => Promise<PriceHistory> {
  let known: readonly PriceChange[] = [];
  let upTo = 0;
  let isFirst = true;
  let list: ListedPrices = new Map();
  let signature: string | undefined;
  let scheduled: readonly ScheduledList[] = [];
  let reading: Promise<void> = Promise.resolve();

  function add(stored: Revision): void {
    const { revision, createdAt: since } = stored;
    const signed = signatureOf(stored.document);
    if (signed === undefined || signed !== signature) {
      const next = priceLists(stored);
      // A revision that this version cannot read is skipped.
      if (next) {
        addUntil(since);
        replace({ revision, since, list: next.now });
        scheduled = next.later;
        signature = signed;
      }
    }
    isFirst = false;
  }

  function replace(next: ScheduledList): void {
    const { revision, since } = next;
    const changes = compare(list, next.list);
    if (changes.length > 0) known = [{ revision, since, isFirst, changes }, ...known].slice(0, MAX_PRICE_CHANGES);
    list = next.list;
  }

  /** Adds the scheduled prices that apply from then at the latest. */
  function addUntil(moment: number): void {
    const due = scheduled.filter(({ since }) => since <= moment);
    for (const one of due) replace(one);
    scheduled = scheduled.slice(due.length);
  }

  /** Reads one at a time, so that other work can run in between; after a failure it continues where it stopped. */
  async function read(newest: number): Promise<void> {
    while (upTo < newest) {
      const stored = await store.read.revision(upTo + 1);
      if (stored) add(stored);
      upTo++;
    }
  }

  return async (newest, now) => {
    if (upTo < newest) {
      reading = reading.then(() => read(newest)).catch(() => {});
      await reading;
    }
    addUntil(now);
    return { changes: known.filter(({ revision }) => revision <= newest), upTo: Math.min(upTo, newest) };
  };
}

/** Equal for equal price lists, and cheap, as most revisions change no price; undefined if it is not JSON. */
function signatureOf(document: string): string | undefined {
  try {
    const { models }: { models?: unknown } = JSON.parse(document);
    if (!Array.isArray(models)) return undefined;
    return JSON.stringify(models.map(({ id, kinds, price, retires_at }: Fields) => [id, kinds, price, retires_at]));
  } catch {
    return undefined;
  }
}

/** The list of a revision when it is applied, and those that it names for later. */
function priceLists(stored: Revision): { now: ListedPrices; later: ScheduledList[] } | undefined {
  const { revision, createdAt } = stored;
  const read = readStoredDocument(stored.document);
  if (!read.ok) return undefined;
  const { document } = read;
  const later = momentsOf(document).filter((moment) => moment > createdAt);
  return {
    now: priceList(document, createdAt),
    later: later.map((since) => ({ revision, since, list: priceList(document, since) })),
  };
}

function priceList(document: Document, at: number): ListedPrices {
  return new Map(buildCatalog(document, 0, at).models.map((model) => [model.id, listedPrice(model)]));
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
