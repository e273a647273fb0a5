// Sends a webhook its due messages: first the deliveries whose next attempt has come, then the events after its cursor, one after
// another in their order. An attempt is recorded after it was made, so a node that dies in between leaves it to be made again:
// every event arrives at least once, and a repeated one has the same id.

import { HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import type { CursorMove } from '../../store/operations.ts';
import type { Delivery, StoredEvent, Webhook } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { type EventIds, publicEvent } from '../events/public-event.ts';
import type { SecretsOf } from './manage-webhooks.ts';
import { type Attempted, type MessageTools, sendMessage } from './send-message.ts';

export interface DeliveryTools extends MessageTools {
  store: Store;
  random: Random;
  eventIds: EventIds;
  secretsOf: SecretsOf;
}

export type RoundEnd = 'done' | { disabledFor: NonNullable<Webhook['disabledFor']> };

interface Due {
  event: StoredEvent;
  attempts: number;
  /** Where the cursor is before it; undefined for a repeated attempt. */
  from: number | undefined;
}

/** `from` as before it was sent. */
interface Sent extends Pick<Due, 'from'> {
  delivery: Delivery;
}

export const ATTEMPT_MS = 15_000;
/** After this time nothing more is sent in the round, so that other webhooks have their turn. */
const ROUND_MS = 15_000;
const READ_AT_ONCE = 100;
/** The maximum number of events between two checks whether the webhook was deleted, disabled or changed. */
const MAX_UNRECORDED = 8;
/**
 * One failure may be about one event. After the second in a row, a new event shows whether the receiver refuses some events
 * or is down.
 */
const FAILURES_IN_A_ROW = 2;
/** The longest time until a receiver that is down gets a new event as a probe. */
const MAX_PAUSE_MS = HOUR_MS;
const GONE = 410;

const FIRST_WAIT_MS = 5_000;
/** How long a failed delivery waits for its next attempt: more each time, over about a day. */
const WAITS_MS: readonly number[] = [
  FIRST_WAIT_MS,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];
/** Random, so that retries to the receivers of one event do not coincide. */
const MAX_JITTER = 0.1;

export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** The wait after this many attempts; undefined after the last one. */
export function retryWaitMs(attempts: number, random: Random): number | undefined {
  const wait = WAITS_MS[attempts - 1];
  return wait === undefined ? undefined : Math.round(wait * (1 + MAX_JITTER * random.fraction()));
}

interface DeliverySignals {
  /** Nothing more is sent; the attempt that runs is recorded. */
  stop: AbortSignal;
  /** Ends the attempt that runs, unrecorded. */
  cut: AbortSignal;
}

/** Rejects if it was cut, or if the store fails: then it is to be called again. */
export async function deliverEvents(
  tools: DeliveryTools,
  webhookId: string,
  signals: DeliverySignals,
): Promise<RoundEnd> {
  const { store, clock } = tools;
  const webhook = await store.read.webhook(webhookId);
  if (!webhook?.enabled) return 'done';
  const { newestEvent } = await store.read.pulse();
  const round = new Round(tools, webhook, signals);
  let mayHaveMore = true;
  while (mayHaveMore && !round.isOver) mayHaveMore = await round.sendNext();
  if (round.disabledFor !== null) return { disabledFor: round.disabledFor };
  const { pausedUntil } = round;
  const hasMore = mayHaveMore && !round.isDown;
  const dueAt = hasMore ? clock.now() : await nextDue(tools, webhookId, pausedUntil);
  const move = round.skipOthers(newestEvent);
  await store.commit('scheduleWebhook', { webhookId, seenDueAt: webhook.dueAt, dueAt, pausedUntil, move });
  return 'done';
}

/** Null if only a new event can make it due. */
async function nextDue(
  { store, clock }: DeliveryTools,
  webhookId: string,
  pausedUntil: number | null,
): Promise<number | null> {
  const nextAttemptAt = (await store.read.nextAttemptAt(webhookId)) ?? null;
  const isPaused = pausedUntil !== null && pausedUntil > clock.now();
  if (!isPaused) return nextAttemptAt;
  return nextAttemptAt === null ? pausedUntil : Math.min(nextAttemptAt, pausedUntil);
}

class Round {
  readonly #tools: DeliveryTools;
  readonly #webhook: Webhook;
  readonly #signals: DeliverySignals;
  readonly #until: number;
  #cursor: number;
  /** When each failure since the last success is due again. */
  #failures: number[] = [];
  /** Events that failed in this round, which are not tried again in it. */
  readonly #failed = new Set<number>();
  #hasSucceeded = false;
  /** No event after the cursor has a type that the webhook wants. */
  #hasSentAll = false;
  /** Several events in a row failed: the receiver is down. */
  isDown = false;
  /** Somebody else sends, or the webhook was changed. */
  #isStale = false;
  /** Results that are not recorded yet. */
  readonly #sent: Sent[] = [];
  #recording: Promise<void> = Promise.resolve();
  #recordFailed: unknown;
  disabledFor: Webhook['disabledFor'] = null;

  constructor(tools: DeliveryTools, webhook: Webhook, signals: DeliverySignals) {
    this.#tools = tools;
    this.#webhook = webhook;
    this.#signals = signals;
    this.#until = tools.clock.monotonic() + ROUND_MS;
    this.#cursor = webhook.cursor;
  }

  get isOver(): boolean {
    const isLate = this.#tools.clock.monotonic() >= this.#until;
    const isEnded = this.#signals.stop.aborted || this.isDown || this.#isStale || this.disabledFor !== null;
    return isLate || isEnded || this.#recordFailed !== undefined;
  }

  /** Null once it has answered well. A time that has passed says that it was down, and holds up nothing. */
  get pausedUntil(): number | null {
    if (this.isDown) return Math.min(Math.max(...this.#failures), this.#tools.clock.now() + MAX_PAUSE_MS);
    return this.#hasSucceeded ? null : this.#webhook.pausedUntil;
  }

  /** Moves the cursor to `newest`, the newest event when the round began: types that are added later are sent from there on. */
  skipOthers(newest: number): CursorMove | undefined {
    const { types, replays } = this.#webhook;
    const isBehind = types !== null && this.#hasSentAll && newest > this.#cursor;
    return isBehind ? { from: this.#cursor, to: newest, replays } : undefined;
  }

  /** Returns whether anything was due. What is sent is recorded before more is read. */
  async sendNext(): Promise<boolean> {
    const due = (await this.#readRepeated()) ?? (await this.#readNew());
    const wasBack = this.#isBack;
    try {
      for (const one of due) {
        if (this.#sent.length >= MAX_UNRECORDED) await this.#recording;
        if (this.isOver || this.#isBack !== wasBack || (one.from === undefined && this.#fails)) break;
        const attempted = await this.#send(one);
        this.#sent.push(this.#note(one, attempted));
        // Successes are recorded while the next event is sent. A failure may end the round.
        const recorded = this.#recordSent();
        if (!attempted.isDelivered) await recorded;
      }
    } finally {
      await this.#recording;
    }
    if (this.#recordFailed !== undefined) throw this.#recordFailed;
    return due.length > 0;
  }

  get #fails(): boolean {
    return this.#failures.length >= FAILURES_IN_A_ROW;
  }

  /** It was down before. */
  get #isBack(): boolean {
    return this.#webhook.pausedUntil !== null && this.#hasSucceeded;
  }

  /** Undefined if there is none. A receiver that is back gets all of them at once, before new events. */
  async #readRepeated(): Promise<Due[] | undefined> {
    if (this.#fails) return undefined;
    const { store, clock } = this.#tools;
    const dueAt = this.#isBack ? Number.MAX_SAFE_INTEGER : clock.now();
    const limit = READ_AT_ONCE + this.#failed.size;
    const found = await store.read.dueDeliveries(this.#webhook.webhookId, dueAt, limit);
    const repeated = found.filter(({ event }) => !this.#failed.has(event.eventId));
    if (repeated.length === 0) return undefined;
    return repeated.map(({ event, delivery: { attempts } }) => ({ event, attempts, from: undefined }));
  }

  /** None while the receiver is down. */
  async #readNew(): Promise<Due[]> {
    const { accountId, types, pausedUntil } = this.#webhook;
    if (!this.#isBack && (pausedUntil ?? 0) > this.#tools.clock.now()) return [];
    const query = { accountId, after: this.#cursor, types: types ?? undefined, limit: READ_AT_ONCE };
    const events = await this.#tools.store.read.eventsOf(query);
    this.#hasSentAll = events.length === 0;
    return events.map((event, index) => ({ event, attempts: 0, from: events[index - 1]?.eventId ?? this.#cursor }));
  }

  #send({ event }: Due): Promise<Attempted> {
    const { id, type, at, data } = publicEvent(this.#tools.eventIds, event);
    const message = {
      id,
      url: this.#webhook.url,
      body: JSON.stringify({ id, type, timestamp: at, data }),
      secrets: this.#tools.secretsOf(this.#webhook),
      timeoutMs: ATTEMPT_MS,
    };
    return sendMessage(this.#tools, message, this.#signals.cut);
  }

  #note({ event, attempts, from }: Due, { isDelivered, status, detail }: Attempted): Sent {
    const { clock, random } = this.#tools;
    const { eventId } = event;
    const at = clock.now();
    const waitMs = isDelivered || status === GONE ? undefined : retryWaitMs(attempts + 1, random);
    const nextAt = waitMs === undefined ? null : at + waitMs;
    const delivery: Delivery = {
      webhookId: this.#webhook.webhookId,
      eventId,
      state: isDelivered ? 'delivered' : nextAt === null ? 'failed' : 'pending',
      attempts: attempts + 1,
      status,
      detail,
      lastAt: at,
      nextAt,
    };
    if (from !== undefined) this.#cursor = eventId;
    if (isDelivered) this.#noteSuccess();
    else this.#noteFailure(delivery, from !== undefined);
    return { delivery, from };
  }

  /** One write at a time: what was sent meanwhile goes into the next. Never rejects. */
  #recordSent(): Promise<void> {
    this.#recording = this.#recording
      .then(() => this.#record(this.#sent.splice(0)))
      .catch((error: unknown) => {
        this.#recordFailed ??= error;
      });
    return this.#recording;
  }

  async #record(sent: readonly Sent[]): Promise<void> {
    const [first] = sent;
    const last = sent.at(-1)?.delivery;
    if (!first || !last || this.#recordFailed !== undefined) return;
    const { webhookId, url, replays } = this.#webhook;
    const result = await this.#tools.store.commit('recordDeliveries', {
      webhookId,
      url,
      deliveries: sent.map(({ delivery }) => delivery),
      move: first.from === undefined ? undefined : { from: first.from, to: last.eventId, replays },
      isGone: last.status === GONE,
      at: last.lastAt,
    });
    if (result.ok) this.disabledFor ??= result.disabledFor;
    else this.#isStale = true;
  }

  #noteSuccess(): void {
    this.#hasSucceeded = true;
    this.#failures = [];
  }

  #noteFailure({ eventId, lastAt, nextAt }: Delivery, isNew: boolean): void {
    this.#failed.add(eventId);
    this.#failures.push(nextAt ?? lastAt + FIRST_WAIT_MS);
    const wasDown = this.#webhook.pausedUntil !== null && !this.#hasSucceeded;
    if (isNew && (this.#fails || wasDown)) this.isDown = true;
  }
}
