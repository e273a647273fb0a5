// Later changes in a document: new prices, and models that retire. Every node finds the same state for
// a moment from the document alone.

import type { Document, DocumentModel } from './document.ts';
import type { Amounts } from './listed-prices.ts';

/** The price list at a moment. Each change replaces what it names; the rest stays as it was. */
export function priceAt(price: DocumentModel['price'], at: number): DocumentModel['price'] {
  if (price === 'free') return price;
  let list: Amounts = price;
  for (const { effective_at: from, ...changed } of price.changes ?? []) if (from <= at) list = { ...list, ...changed };
  return list;
}

/** A document as it applies at a moment: with the prices of that time, without models that retired before. */
export function documentAt(document: Document, at: number): Document {
  const models = document.models.filter(({ retires_at: end = Number.POSITIVE_INFINITY }) => at < end);
  return { ...document, models: models.map((model) => ({ ...model, price: priceAt(model.price, at) })) };
}

/** The moments at which the price changes, in ascending order. */
export function priceChangesOf(price: DocumentModel['price']): number[] {
  return price === 'free' ? [] : (price.changes ?? []).map(({ effective_at: at }) => at);
}

/** The moments at which the catalog of a document changes by itself, in ascending order. */
export function momentsOf({ models }: Pick<Document, 'models'>): number[] {
  const moments = models.flatMap(({ price, retires_at: retiresAt }) => [
    ...priceChangesOf(price),
    ...(retiresAt === undefined ? [] : [retiresAt]),
  ]);
  return [...new Set(moments)].sort((one, other) => one - other);
}

export interface Period {
  /** Infinite where nothing changed before, or nothing changes later. */
  from: number;
  until: number;
}

/** The period around a moment in which nothing changes. */
export function periodAt(document: Pick<Document, 'models'>, at: number): Period {
  const moments = momentsOf(document);
  return {
    from: moments.findLast((moment) => moment <= at) ?? Number.NEGATIVE_INFINITY,
    until: moments.find((moment) => moment > at) ?? Number.POSITIVE_INFINITY,
  };
}

/** The moment of the period that is next to `at`. */
export function nearestWithin({ from, until }: Period, at: number): number {
  return Math.min(Math.max(at, from), until - 1);
}

export function isWithin({ from, until }: Period, at: number): boolean {
  return at >= from && at < until;
}

/** A model that ends at a date, and which model serves its calls afterwards. */
export type Retirement = NonNullable<ReturnType<typeof buildRetirement>>;

export function buildRetirement(model: DocumentModel, deprecatedAt: number) {
  const { retires_at: at, replaced_by: successor, on_retired: onRetired } = model;
  if (at === undefined) return undefined;
  return {
    at,
    /** Since when the date is set. */
    deprecatedAt: Math.min(deprecatedAt, at),
    /** The id of the model to use instead. */
    successor,
    /** The successor serves its calls from then on; otherwise they are refused. */
    isReplaced: onRetired === 'replace',
  };
}

interface Retiring {
  retirement: Retirement | undefined;
}

export function isRetired({ retirement }: Retiring, at: number): boolean {
  return retirement !== undefined && at >= retirement.at;
}

/** By id or alias. */
export type ByName<Model> = ReadonlyMap<string, Model>;

/** A successor may have retired, too. The document has no circles of them. */
export function findReplacement<Model extends Retiring>(
  name: string,
  live: ByName<Model>,
  retired: ByName<Model>,
): Model | undefined {
  const { successor, isReplaced } = retired.get(name)?.retirement ?? {};
  if (!isReplaced || successor === undefined) return undefined;
  return live.get(successor) ?? findReplacement(successor, live, retired);
}
