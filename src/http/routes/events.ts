// Events of an account: as a list, or as a stream without an end.

import { z } from 'zod';
import type { EventWatch } from '../../accounts/events/event-watch.ts';
import { event, eventFilters, listEvents, publicEvent, readCursor } from '../../accounts/events/public-event.ts';
import { fault } from '../../faults/fault.ts';
import { flag, isList, named, text } from '../../kit/shapes.ts';
import { addTo } from '../../kit/tally.ts';
import { type Send, toByteStream } from '../../relay/byte-stream.ts';
import type { DrainListener } from '../../relay/drain-deadline.ts';
import type { EventType, StoredEvent } from '../../store/event-rows.ts';
import { STREAM_TYPE } from '../common-headers.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
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

export type EventStreams = ReturnType<typeof createEventStreams>;

export const MAX_STREAMS = 8;
const MAX_STREAMS_OF_ALL = 1_000;
const PAGE = 100;
/** The key and the drain are checked with each event, and at least so often. */
const CHECK_MS = 10_000;
const KEEP_ALIVE = ': keep-alive\n\n';

export function createEventStreams(watch: EventWatch) {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    ...watch,
    /** Throws too_many_in_flight if the account, or unavailable if this process has no stream left; the result gives it back. */
    acquire(accountId: string): () => void {
      const count = counts.get(accountId) ?? 0;
      if (count >= MAX_STREAMS) {
        const message = `This account has ${MAX_STREAMS} event streams open. Close one first.`;
        throw fault('too_many_in_flight', { message, figures: { limit: MAX_STREAMS, used: count } });
      }
      if (all >= MAX_STREAMS_OF_ALL) throw fault('unavailable', { internal: 'too many event streams' });
      addTo(counts, accountId, 1);
      all++;
      return () => {
        all--;
        addTo(counts, accountId, -1);
      };
    },
  };
}

interface StreamQuery {
  after: number;
  types: readonly EventType[] | undefined;
}

function streamEvents(tools: HttpTools, exchange: KeyedExchange, query: StreamQuery): Response {
  const { clock, relay, eventStreams } = tools;
  const release = eventStreams.acquire(exchange.key.accountId);
  const follower = new EventFollower(tools, exchange, query, release);
  const body = toByteStream((send) => follower.run(send), {
    clock,
    connection: exchange.connection,
    gone: exchange.request.signal,
    drainDeadline: relay.drainDeadline,
    keepAlive: () => KEEP_ALIVE,
    onGone: () => follower.end(),
  });
  return new Response(body, { headers: { 'content-type': STREAM_TYPE, 'x-accel-buffering': 'no' } });
}

/**
 * Streams an account's events: those after the cursor, then each new one. It reads the next page from the store only when the
 * client has taken the last one. It ends when the key may no longer manage, and when the server drains; a client continues
 * with Last-Event-ID.
 */
class EventFollower implements DrainListener {
  drainIndex = -1;
  readonly #tools: HttpTools;
  readonly #exchange: KeyedExchange;
  readonly #types: StreamQuery['types'];
  readonly #release: () => void;
  #after: number;
  #isOver = false;
  #wake = () => {};

  constructor(tools: HttpTools, exchange: KeyedExchange, { after, types }: StreamQuery, release: () => void) {
    this.#tools = tools;
    this.#exchange = exchange;
    this.#after = after;
    this.#types = types;
    this.#release = release;
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  onDrainDeadline(): void {
    this.end();
  }

  async run(send: Send): Promise<void> {
    const { relay, eventStreams } = this.#tools;
    const stop = eventStreams.listen(this.#exchange.key.accountId, () => this.#wake());
    relay.drainDeadline.listen(this);
    try {
      await send(KEEP_ALIVE);
      while (await this.#isAllowed()) {
        // Before the read: an event that comes during it is not missed.
        const woken = this.#untilWoken();
        const events = await this.#read();
        if (events.length > 0) await send(this.#frames(events));
        if (events.length === PAGE) this.#wake();
        await woken;
      }
    } finally {
      this.#wake();
      relay.drainDeadline.forget(this);
      stop();
      this.#release();
    }
  }

  async #isAllowed(): Promise<boolean> {
    const { authenticator, relay, isReady } = this.#tools;
    if (this.#isOver || relay.drainDeadline.signal.aborted || !isReady()) return false;
    const key = await authenticator.revalidate(this.#exchange.key);
    return key?.manage === true && !this.#isOver;
  }

  async #read(): Promise<StoredEvent[]> {
    const { accountId } = this.#exchange.key;
    const query = { accountId, after: this.#after, types: this.#types, limit: PAGE };
    const events = await this.#tools.store.read.eventsOf(query);
    this.#after = events.at(-1)?.eventId ?? this.#after;
    return events;
  }

  #frames(events: readonly StoredEvent[]): string {
    return events
      .map((event) => {
        const shown = publicEvent(this.#tools.eventIds, event);
        return `id: ${shown.id}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`;
      })
      .join('');
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#tools.clock.after(CHECK_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.#isOver) this.#wake();
    });
  }
}
