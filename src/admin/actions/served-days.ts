// A channel's usage by day and model, with the route as it was then: today's catalog may have another name, another
// cost, or no such route. On most days all revisions agree on the channel, and the day's sums are enough; only if they
// differ are the records counted by revision.

import type { Document } from '../../catalog/document.ts';
import { hasNoTokenPrice, hasRules } from '../../catalog/listed-prices.ts';
import { readStoredDocument } from '../../catalog/read-document.ts';
import { HOUR_MS } from '../../kit/clock.ts';
import { taipeiDayStart } from '../../kit/taipei.ts';
import type { ChannelDay } from '../../store/reads.ts';
import type { StoreTools } from './tools.ts';

type RouteThen = ReturnType<typeof routesTo>[number];

export interface ServedDay extends ChannelDay {
  /**
   * Distinct routes of the model to the channel. Empty if the revision has none or can no longer be read; with several,
   * it is unknown which one served.
   */
  routes: readonly RouteThen[];
}

interface InForce {
  revision: number;
  /** The next revision is active from `until` on. */
  from: number;
  until: number;
  routes: readonly RouteThen[];
  /** Equal for revisions that agree on the channel. */
  print: string;
}

/** Nodes follow a new revision within seconds; clocks may differ by more. */
const SLACK_MS = HOUR_MS;
const PAGE = 200;

/** From `fromDay` up to, but not including, `toDay`. */
export async function servedDays(tools: StoreTools, channel: string, fromDay: number, toDay: number) {
  const { read } = tools.store;
  const sums = await read.channelDays(channel, fromDay, toDay);
  if (sums.length === 0) return [];
  const history = await readHistory(tools, channel, {
    since: taipeiDayStart(fromDay) - SLACK_MS,
    end: taipeiDayStart(toDay) + SLACK_MS,
  });
  const served: ServedDay[] = [];
  for (const day of new Set(sums.map((sum) => sum.day))) {
    const then = history.filter(
      ({ from, until }) => from < taipeiDayStart(day + 1) + SLACK_MS && until > taipeiDayStart(day) - SLACK_MS,
    );
    const isOne = new Set(then.map(({ print }) => print)).size <= 1;
    const parts = isOne
      ? sums.filter((sum) => sum.day === day).map((sum) => ({ ...sum, revision: then[0]?.revision }))
      : await read.channelRevisions(channel, day);
    for (const { revision, ...part } of parts) {
      const routes = history.find((past) => past.revision === revision)?.routes ?? [];
      served.push({ ...part, routes: different(routes.filter(({ publicModel }) => publicModel === part.model)) });
    }
  }
  return served;
}

/** Newest first, from before `end` back to the one that was active at `since`. */
async function readHistory({ store }: StoreTools, channel: string, { since, end }: { since: number; end: number }) {
  const history: InForce[] = [];
  let [before, until] = [Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY];
  for (;;) {
    const page = await store.read.revisions(before, PAGE);
    for (const { revision, createdAt } of page) {
      if (createdAt < end) {
        const read = readStoredDocument((await store.read.revision(revision))?.document ?? '');
        const routes = read.ok ? routesTo(read.document, channel) : [];
        history.push({ revision, from: createdAt, until, routes, print: printOf(routes) });
      }
      if (createdAt <= since) return history;
      [before, until] = [revision, createdAt];
    }
    if (page.length < PAGE) return history;
  }
}

function routesTo({ models }: Document, channel: string) {
  return models.flatMap(({ id, price, routes }) =>
    routes
      .filter((route) => route.channel === channel)
      .map(({ model, cost }) => ({
        publicModel: id,
        upstreamModel: model,
        cost,
        /** This and the next: in the sale price or the cost. */
        isPerImage: (cost !== undefined && hasNoTokenPrice(cost)) || (price !== 'free' && hasNoTokenPrice(price)),
        /** Sums of tokens then do not determine the cost. */
        hasRules: (cost !== undefined && hasRules(cost)) || (price !== 'free' && hasRules(price)),
      })),
  );
}

function different(routes: readonly RouteThen[]): RouteThen[] {
  return [...new Map(routes.map((route) => [printOf([route]), route])).values()];
}

function printOf(routes: readonly RouteThen[]): string {
  return JSON.stringify(routes, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
