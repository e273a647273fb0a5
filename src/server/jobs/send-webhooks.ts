// Finds out which webhooks have something to send, and lets each send it: those with a new event, and those whose time has
// come. A few at once, and few of one account, so that a slow receiver does not hold up others. The progress of each is in
// the database; the state here can be lost.

import { type DeliveryTools, deliverEvents, type RoundEnd } from '../../accounts/webhooks/deliver-events.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { StoredEvent, Webhook } from '../../store/rows.ts';
import type { Role } from './hold-role.ts';
import { repeat } from './repeat.ts';

const LOOK_MS = 1_000;
const AGAIN_MS = 5_000;
const EVENTS_AT_ONCE = 500;
const WEBHOOKS_AT_ONCE = 500;
const MAX_RUNNING = 64;
const MAX_RUNNING_OF_ACCOUNT = 2;
/** After a stop, for attempts that were begun: one that is cut would be made again by the next node. */
const LAST_ANSWER_MS = 4_000;

interface WebhookJobTools extends DeliveryTools {
  log: Log;
  role: Role;
}

type Waiting = Pick<Webhook, 'webhookId' | 'accountId'>;

export function sendWebhooks(tools: WebhookJobTools) {
  const { store, clock, log, role } = tools;
  const stopping = new AbortController();
  const cut = new AbortController();
  const waiting = new Map<string, Waiting>();
  const running = new Map<string, { accountId: string; end: Promise<void> }>();
  /** The newest event for which webhooks were woken; undefined: all are to be woken. */
  let seenEvent: number | undefined;

  async function look(): Promise<void> {
    if (!role.isHeld()) {
      seenEvent = undefined;
      waiting.clear();
      return;
    }
    const due = await store.read.dueWebhooks(clock.now(), WEBHOOKS_AT_ONCE);
    for (const webhook of due) waiting.set(webhook.webhookId, webhook);
    if (seenEvent === undefined) {
      const { newestEvent } = await store.read.pulse();
      await wakeAll();
      seenEvent = newestEvent;
    } else await wakeForEvents(seenEvent);
    startWaiting();
  }

  async function wakeForEvents(after: number): Promise<void> {
    let last = after;
    for (let isMore = true; isMore && !stopping.signal.aborted; ) {
      const events = await store.read.eventsSince(last, EVENTS_AT_ONCE);
      if (events.some(({ accountId }) => accountId === null)) await wakeAll();
      else if (events.length > 0) await wakeAccounts(events);
      last = events.at(-1)?.eventId ?? last;
      seenEvent = last;
      isMore = events.length === EVENTS_AT_ONCE;
    }
  }

  async function wakeAccounts(events: readonly StoredEvent[]): Promise<void> {
    const accountIds = [...new Set(events.flatMap(({ accountId }) => accountId ?? []))];
    const webhooks = await store.read.enabledWebhooksOf(accountIds);
    for (const webhook of webhooks) wake(webhook);
  }

  async function wakeAll(): Promise<void> {
    let after = '';
    for (let isMore = true; isMore && !stopping.signal.aborted; ) {
      const webhooks = await store.read.enabledWebhooks(after, WEBHOOKS_AT_ONCE);
      for (const webhook of webhooks) wake(webhook);
      after = webhooks.at(-1)?.webhookId ?? after;
      isMore = webhooks.length === WEBHOOKS_AT_ONCE;
    }
  }

  function wake(webhook: Webhook): void {
    if ((webhook.pausedUntil ?? 0) <= clock.now()) waiting.set(webhook.webhookId, webhook);
  }

  function startWaiting(): void {
    for (const webhook of waiting.values()) {
      if (running.size >= MAX_RUNNING || stopping.signal.aborted) return;
      if (mayRun(webhook)) start(webhook);
    }
  }

  function mayRun({ webhookId, accountId }: Waiting): boolean {
    const ofAccount = [...running.values()].filter((one) => one.accountId === accountId);
    return !running.has(webhookId) && ofAccount.length < MAX_RUNNING_OF_ACCOUNT;
  }

  function start(webhook: Waiting): void {
    const { webhookId, accountId } = webhook;
    waiting.delete(webhookId);
    const end = deliverEvents(tools, webhookId, { stop: stopping.signal, cut: cut.signal })
      .then((ended) => noteEnd(webhook, ended))
      .catch((error: unknown) => {
        if (cut.signal.aborted) return;
        log('error', 'webhooks_failed', { account_id: accountId, detail: describeError(error) });
        if (!stopping.signal.aborted) clock.after(AGAIN_MS, () => waiting.set(webhookId, webhook));
      })
      .finally(() => {
        running.delete(webhookId);
        startWaiting();
      });
    running.set(webhookId, { accountId, end });
  }

  function noteEnd({ webhookId, accountId }: Waiting, ended: RoundEnd): void {
    if (ended === 'done') return;
    log('warn', 'webhook_disabled', { account_id: accountId, code: ended.disabledFor, detail: webhookId });
  }

  let cancelCut = () => {};
  const stop = repeat(clock, log, LOOK_MS, 'webhooks_failed', look);
  return {
    /** Nothing more is sent. Attempts that were begun get a few seconds for their answer, and are recorded. */
    stop(): void {
      stop();
      stopping.abort();
      cancelCut = clock.after(LAST_ANSWER_MS, () => cut.abort());
    },
    /** Resolves when nothing is being sent any more. */
    async ended(): Promise<void> {
      await Promise.all([...running.values()].map(({ end }) => end));
      cancelCut();
    },
  };
}
