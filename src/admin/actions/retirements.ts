// Models that retire soon or have retired, with the recent traffic that it affects.

import type { Document } from '../../catalog/document.ts';
import { TRAFFIC_DAYS } from '../../catalog/warn-change.ts';
import { retirementWarning, WARNED_DAYS } from '../../catalog/warn-retirement.ts';
import { DAY_MS } from '../../kit/clock.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import type { StoreTools } from './tools.ts';

/** `open` is called only if a model retires soon; without a result the traffic is unknown. */
export async function listRetiring({ models }: Document, now: number, open: () => Promise<StoreTools | undefined>) {
  const soon = models.flatMap(({ id, retires_at: at, replaced_by: successor, on_retired: onRetired }, index) => {
    if (at === undefined || at > now + WARNED_DAYS * DAY_MS) return [];
    const inDays = taipeiDay(at) - taipeiDay(now);
    return [{ model: id, index, at, inDays, successor, isReplaced: onRetired === 'replace' }];
  });
  const tools = soon.length === 0 ? undefined : await open();
  const uses = await tools?.store.read.useByModel(taipeiDay(now) - TRAFFIC_DAYS);
  return soon.map((retiring) => {
    const { requests = 0, accounts = 0 } = uses?.find(({ model }) => model === retiring.model) ?? {};
    return { ...retiring, use: uses && { requests, accounts } };
  });
}

/** For a document that is checked or was applied. */
export async function warnRetirements(document: Document, now: number, open: () => Promise<StoreTools | undefined>) {
  return (await listRetiring(document, now, open)).map(retirementWarning);
}
