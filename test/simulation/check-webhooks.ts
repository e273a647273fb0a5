// Each event reaches each webhook of its account once; again only if its sender could not know that it had arrived. No other
// event reaches a webhook.

import { createEventIds } from '../../src/accounts/events/public-event.ts';
import { type Cluster, PEPPER } from './cluster.ts';
import type { InjectedFailure } from './failure-kinds.ts';

interface Due {
  url: string;
  event_id: bigint;
}

/** After a fault has ended, a node may still finish what it began before. */
const AFTERMATH_MS = 60_000;
/** Nothing excuses more of one event. */
const MOST_REPEATS = 10;
/** Faults in which a node may not know whether a message arrived. */
const UNSURE: ReadonlySet<InjectedFailure['what']> = new Set([
  'crash',
  'restart',
  'pause',
  'database',
  'database crash',
  'power loss',
]);

const eventIds = createEventIds(PEPPER);

/** By webhook and event, when it was accepted. */
function acceptedBy({ receivers }: Cluster) {
  return Map.groupBy(receivers.accepted, ({ url, id }) => `${url} ${id}`);
}

const nameOf = ({ url, event_id: eventId }: Due) => `${url} ${eventIds.write(Number(eventId))}`;

function dueIn({ database }: Cluster): Due[] {
  const due = database.tables.query<Due, []>(
    `SELECT url, event_id FROM webhooks JOIN first_cursors f USING (webhook_id)
     JOIN events e ON event_id > f.cursor_event_id AND (e.account_id = webhooks.account_id OR e.account_id IS NULL)`,
  );
  return due.all();
}

export function findUndelivered(cluster: Cluster): string[] {
  const accepted = acceptedBy(cluster);
  return dueIn(cluster)
    .filter((due) => !accepted.has(nameOf(due)))
    .map(({ url, event_id: eventId }) => `the event ${eventId} did not reach ${url}`);
}

/** Events of other accounts, and of the time before the webhook. */
export function findForeign(cluster: Cluster): string[] {
  const due = new Set(dueIn(cluster).map(nameOf));
  return [...acceptedBy(cluster).keys()].filter((name) => !due.has(name));
}

export function findRepeated(cluster: Cluster, failures: readonly InjectedFailure[]): string[] {
  const unsure = failures.filter(({ what }) => UNSURE.has(what));
  const isExcused = (from: number, to: number) =>
    unsure.some(
      (failure) => failure.at <= to && from <= failure.at + ('ms' in failure ? failure.ms : 0) + AFTERMATH_MS,
    );
  return [...acceptedBy(cluster)].flatMap(([name, [first, ...others]]) => {
    if (others.length > MOST_REPEATS) return [`${name} was sent ${others.length + 1} times`];
    let last = first;
    return others.flatMap((other) => {
      const before = last;
      last = other;
      if (!before || before.isAnswerLost || isExcused(before.at, other.at)) return [];
      return [`${name} was sent again at ${other.at}, accepted at ${before.at}`];
    });
  });
}
