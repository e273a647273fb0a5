// Changes made by an imported price list: each sale price, and each cost by channel, with what it was before.

import { PRICE_NAMES } from '../../catalog/listed-prices.ts';
import type { ImportedPrices } from './import-prices.ts';
import type { PriceList } from './prices.ts';

export type ImportedChanges = ReturnType<typeof importedChanges>;
export type ChangeList = ReturnType<typeof compare>;
export type PriceChange = ChangeList['changes'][number];

/** Of costs by channel: empty if they are not imported. */
export function importedChanges({ rows }: Pick<ImportedPrices, 'rows'>) {
  const channels = [...new Set(rows.flatMap(({ costsBefore }) => costsBefore.map(({ channel }) => channel)))];
  const costsOn = (channel: string) =>
    rows.flatMap(({ model, cost, costsBefore }) =>
      costsBefore.filter((route) => route.channel === channel).map((route) => compare(model, route.cost ?? {}, cost)),
    );
  const sale = rows.map(({ model, before, after }) => compare(model, before === 'free' ? {} : before, after));
  return { sale: joined(sale), costs: new Map(channels.map((channel) => [channel, joined(costsOn(channel))])) };
}

function compare(model: string, before: PriceList, after: PriceList) {
  const listed = PRICE_NAMES.flatMap((price) => {
    const value = after[price];
    return value === undefined ? [] : [{ model, price, before: before[price], after: value }];
  });
  const changes = listed.filter((one) => one.before === undefined || Number(one.before) !== Number(one.after));
  return {
    changes: changes.map((one) => ({ ...one, change: shareOf(one.before, one.after) })),
    /** How many prices of the list are as they were. */
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
