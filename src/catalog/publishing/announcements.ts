// The events of a document that is applied: models that will retire, and prices that change now or later.

import { isDeepStrictEqual } from 'node:util';
import type { NewEvent } from '../../store/rows.ts';
import { buildCatalog, type Catalog, type Model } from '../catalog.ts';
import type { Document } from '../document.ts';
import { publicPrice } from '../public-price.ts';
import { readStoredDocument } from '../read-document.ts';
import type { Retirement } from '../schedule.ts';

type PublicPrice = ReturnType<typeof publicPrice>;

type Announcement =
  | {
      type: 'model.retiring';
      data: { model: string; retires_at: string; replaced_by: string | null; on_retired: 'refuse' | 'replace' };
    }
  /** `price` is the whole list from `effective_at` on, as the public catalog shows it. */
  | { type: 'price.changing'; data: { model: string; effective_at: string; price: PublicPrice } };

/**
 * Only what is new: a date, successor or price that the document before did not have. Models that it did not have at all
 * have no price to change; a model that loses its date is not announced. `at`: when the document is applied.
 */
export function announcementsOf(before: Document | undefined, after: Document, at: number): Announcement[] {
  const old = before && buildCatalog(before, 0, at);
  return buildCatalog(after, 0, at).models.flatMap((model) => {
    const known = old && findKnown(old, model);
    return [...announceRetirement(known, model), ...announcePrices(known, model, at)];
  });
}

/** For every account. `before`: the stored document that it replaces. */
export function announcedEvents(before: string | undefined, after: Document, at: number): NewEvent[] {
  const read = before === undefined ? undefined : readStoredDocument(before);
  const announcements = announcementsOf(read?.ok ? read.document : undefined, after, at);
  return announcements.map((announcement) => ({ ...announcement, accountId: null, at }));
}

/** A renamed model may have its old id as an alias. */
function findKnown(old: Catalog, { id, aliases }: Model): Model | undefined {
  return old.models.find((model) => model.id === id) ?? old.models.find((model) => aliases.includes(model.id));
}

function announceRetirement(known: Model | undefined, { id, retirement }: Model): Announcement[] {
  if (!retirement || isSame(known?.retirement, retirement)) return [];
  const { at, successor = null, isReplaced } = retirement;
  const onRetired = isReplaced ? 'replace' : 'refuse';
  const retiresAt = new Date(at).toISOString();
  return [
    {
      type: 'model.retiring',
      data: { model: id, retires_at: retiresAt, replaced_by: successor, on_retired: onRetired },
    },
  ];
}

function isSame(one: Retirement | undefined, other: Retirement): boolean {
  return one?.at === other.at && one.successor === other.successor && one.isReplaced === other.isReplaced;
}

function announcePrices(known: Model | undefined, model: Model, at: number): Announcement[] {
  if (!known) return [];
  const stepsBefore = stepsOf(known, at);
  return stepsOf(model, at)
    .filter((step) => !stepsBefore.some((one) => isDeepStrictEqual(one, step)))
    .map(({ at: effectiveAt, price }) => ({
      type: 'price.changing',
      data: { model: model.id, effective_at: new Date(effectiveAt).toISOString(), price },
    }));
}

/** The price now, as of this moment, and each later one. */
function stepsOf(model: Model, at: number): { at: number; price: PublicPrice }[] {
  const { prices, priced, laterPrices } = model;
  const steps = [{ at, prices, priced }, ...laterPrices];
  return steps.map(({ at: from, ...list }) => ({ at: from, price: publicPrice({ ...list, laterPrices: [] }) }));
}
