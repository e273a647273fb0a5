// Changes made by an imported price list: each sale price, and each cost by channel, with what it was before.

import { PRICE_NAMES, type PriceName } from '../../catalog/listed-prices.ts';
import type { ImportedPrices } from './import-prices.ts';
import type { PriceList } from './prices.ts';

export interface PriceChange {
  model: string;
  price: PriceName;
  /** Undefined: there was none. */
  before: string | undefined;
  after: string;
  /** As a share of what it was: 0.2 is a fifth more; undefined if there was none, or it was 0. */
  change: number | undefined;
}

export interface ChangeList {
  changes: readonly PriceChange[];
  /** How many prices of the list are as they were. */
  unchanged: number;
}

export interface ImportedChanges {
  sale: ChangeList;
  /** By channel; empty if costs are not imported. */
  costs: ReadonlyMap<string, ChangeList>;
}

export function importedChanges({ rows }: Pick<ImportedPrices, 'rows'>): ImportedChanges {
  const channels = [...new Set(rows.flatMap(({ costsBefore }) => costsBefore.map(({ channel }) => channel)))];
  const costsOn = (channel: string) =>
    rows.flatMap(({ model, cost, costsBefore }) =>
      costsBefore.filter((route) => route.channel === channel).map((route) => compare(model, route.cost ?? {}, cost)),
    );
  const sale = rows.map(({ model, before, after }) => compare(model, before === 'free' ? {} : before, after));
  return { sale: joined(sale), costs: new Map(channels.map((channel) => [channel, joined(costsOn(channel))])) };
}

function compare(model: string, before: PriceList, after: PriceList): ChangeList {
  const listed = PRICE_NAMES.flatMap((price) => {
    const value = after[price];
    return value === undefined ? [] : [{ model, price, before: before[price], after: value }];
  });
  const changes = listed.filter((one) => one.before === undefined || Number(one.before) !== Number(one.after));
  return {
    changes: changes.map((one) => ({ ...one, change: shareOf(one.before, one.after) })),
    unchanged: listed.length - changes.length,
  };
}

function joined(lists: readonly ChangeList[]): ChangeList {
  return {
    changes: lists.flatMap(({ changes }) => changes),
    unchanged: lists.reduce((sum, { unchanged }) => sum + unchanged, 0),
  };
}

/** For reading only: doubles are exact enough. */
function shareOf(before: string | undefined, after: string): number | undefined {
  const was = Number(before ?? 0);
  return was === 0 ? undefined : (Number(after) - was) / was;
}
