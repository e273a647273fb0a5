// Reads of events, the oldest first.

import { type EventType, STORED_EVENTS } from './event-rows.ts';
import { all, many, QUICK, QUICK_JOURNALED, read, rowOf } from './read.ts';
import { type Condition, given, type SqlQuery, where } from './sql-query.ts';

interface EventQuery {
  accountId: string;
  /** Only events with a higher number. */
  after: number;
  /** Only these; every type if left out. */
  types?: readonly EventType[] | undefined;
  limit: number;
}

export const EVENT_READS = {
  /** Those of the account and those of all accounts. */
  eventsOf: read(QUICK_JOURNALED, eventsQuery, all(rowOf(STORED_EVENTS))),
  /** Events of all accounts. An event that is still in the journal is returned by a later read, never out of order. */
  eventsSince: many(
    QUICK,
    STORED_EVENTS,
    'WHERE event_id > ? ORDER BY event_id LIMIT ?',
    (after: number, limit: number) => [after, limit],
  ),
};

/** Each half is a range of the index by account; one condition for both would look at the events of every account. */
function eventsQuery({ accountId, after, types, limit }: EventQuery): SqlQuery {
  const half = (whose: Condition) => {
    const { sql, values } = where([whose, ['event_id > ?', after], given('type = ANY(?)', types)]);
    return { sql: `SELECT * FROM ${STORED_EVENTS.name} ${sql} ORDER BY event_id LIMIT ?`, values: [...values, limit] };
  };
  const own = half(['account_id = ?', accountId]);
  const common = half(['account_id IS NULL']);
  return {
    sql: `SELECT * FROM (${own.sql}) AS own UNION ALL SELECT * FROM (${common.sql}) AS common ORDER BY event_id LIMIT ?`,
    values: [...own.values, ...common.values, limit],
  };
}
