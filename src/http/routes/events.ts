// Events of an account: as a list, or as a stream without an end.

import { z } from 'zod';
import { eventFilters, listEvents, readCursor } from '../../accounts/events/list-events.ts';
import { event } from '../../accounts/events/public-event.ts';
import { flag, isList, named, text } from '../../kit/shapes.ts';
import { streamEvents } from '../event-stream.ts';
import { accountCall } from '../operation.ts';

const eventPage = named('EventPage', {
  object: isList,
  data: z.array(event),
  has_more: flag,
  next_cursor: text
    .nullable()
    .describe('For `after` of the next call, also if there is nothing more yet; null without any event.'),
});

export const listEventsCall = accountCall('GET /api/events', {
  id: 'listEvents',
  summary: 'What happened to the account, oldest first; as server-sent events it goes on',
  description:
    'With `Accept: text/event-stream` the same events come as server-sent events, and new ones follow: `id` is the id of the event, `event` its type, `data` the event as in the list. `limit` does not count then. Events are kept for 30 days.',
  auth: 'manage',
  query: eventFilters,
  requestHeaders: {
    'last-event-id': text.describe(
      'For a stream: the same as `after`, and counts more. Browsers send it when they connect again.',
    ),
  },
  result: 'A page of events, or a stream of them.',
  answer: eventPage,
  alsoAs: { 'text/event-stream': text.describe('Events, and a comment every 10 s without one.') },
  faults: ['too_many_in_flight'],
  async run(tools, { key, query, exchange }) {
    const { headers } = exchange.request;
    if (!asksForStream(headers.get('accept'))) return listEvents(tools, key.accountId, query);
    const last = headers.get('last-event-id') || undefined;
    const after =
      last === undefined ? readCursor(tools.eventIds, query.after) : readCursor(tools.eventIds, last, 'last-event-id');
    return streamEvents(tools, exchange, { after, types: query.type });
  },
});

function asksForStream(accept: string | null): boolean {
  return (accept ?? '').split(',').some((type) => type.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}
