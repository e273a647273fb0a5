// Prepaid cards: batches, codes shown once, search, void.

import { createCardCode, createSerial } from '../../accounts/card-code.ts';
import { type Clock, MINUTE_MS } from '../../kit/clock.ts';
import { formatNtd, type Nano } from '../../kit/money.ts';
import type { CardCount } from '../../store/reads.ts';
import type { Card, CardBatch, CardKind } from '../../store/rows.ts';
import { logLine } from './audit-log.ts';
import { readExpiry, readLine } from './read-input.ts';
import { invalid, notFound } from './refused.ts';
import { createShortMemory } from './short-memory.ts';
import type { Actor, OperatingTools, ReadingTools } from './tools.ts';

export const MAX_CARDS = 10_000;
const MAX_NOTE_CHARS = 500;
/** Customers' requests use the same queue and must not wait for a whole batch of cards. */
const VOID_BATCH = 100;
const LISTED_AT_ONCE = 5_000;

export interface IssuedCard {
  serial: string;
  code: string;
}

/** Codes by batch, so that one page can show and the next print them. Only HMACs are stored. */
export type CodeMemory = ReturnType<typeof createCodeMemory>;

export function createCodeMemory(clock: Clock) {
  return createShortMemory<readonly IssuedCard[]>(clock, { keptMs: 15 * MINUTE_MS, most: 20 });
}

export interface IssueRequest {
  amount: Nano;
  count: number;
  kind: CardKind;
  /** A date such as 2027-12-31, valid to its end in Taipei; for promo cards only. */
  expires?: string | undefined;
  note?: string | undefined;
}

export const CARD_STATES = ['issued', 'redeemed', 'voided', 'expired'] as const;
export type CardStateView = (typeof CARD_STATES)[number];

export interface CardView extends Omit<Card, 'hash' | 'state'> {
  state: CardStateView;
}

/** With its cards by current state. */
export type BatchView = ReturnType<typeof withStates>;

interface CardFilter {
  batchId?: string | undefined;
  state?: CardStateView | undefined;
  /** Complete serials, case-insensitive. */
  serials?: readonly string[] | undefined;
  /** The last card of the previous page. */
  after?: Pick<CardView, 'batchId' | 'serial'> | undefined;
}

/** Refused: invalid. `first` gets the cards before they are stored: no card may exist whose code was lost. */
export async function issueCards(
  tools: OperatingTools,
  request: IssueRequest & { actor: Actor },
  first: (cards: readonly IssuedCard[]) => void = () => {},
): Promise<{ batch: CardBatch; cards: IssuedCard[] }> {
  const { store, clock, random, newId, hashCard } = tools;
  const batch = readBatch(request, { batchId: newId('batch'), createdAt: clock.now() });
  const cards = Array.from({ length: batch.count }, () => ({
    serial: createSerial(random),
    code: createCardCode(random),
  }));
  first(cards);
  const { batchId, amount, count, kind } = batch;
  await store.commit('issue', {
    batch,
    cards: cards.map(({ serial, code }) => ({ serial, hash: hashCard(code) })),
    log: logLine(tools, request.actor, 'cards.issue', batchId, { amount_ntd: formatNtd(amount), count, kind }),
  });
  tools.codes?.keep(batchId, cards);
  return { batch, cards };
}

function readBatch(request: IssueRequest, made: Pick<CardBatch, 'batchId' | 'createdAt'>): CardBatch {
  const { amount, count, kind, expires, note } = request;
  if (amount <= 0n) throw invalid('amount', 'must be above 0');
  if (!Number.isInteger(count) || count < 1 || count > MAX_CARDS) {
    throw invalid('count', `must be a whole number from 1 to ${MAX_CARDS}: ${count}`);
  }
  if (expires !== undefined && kind === 'sold') {
    throw invalid('expires', 'is for promo cards: sold cards never expire');
  }
  return {
    ...made,
    amount,
    count,
    kind,
    expiresAt: expires === undefined ? null : readExpiry(expires, made.createdAt),
    note: note === undefined || note.trim() === '' ? null : readLine(note, 'note', MAX_NOTE_CHARS),
  };
}

/** Newest first. */
export async function listBatches({ store, clock }: OperatingTools, limit: number) {
  const [batches, counts] = await Promise.all([
    store.read.cardBatches(limit),
    store.read.cardCounts(undefined, clock.now()),
  ]);
  return batches.map((batch) => withStates(batch, counts));
}

/** Refused: not_found. */
export async function showBatch({ store, clock }: OperatingTools, batchId: string): Promise<BatchView> {
  const [batch, counts] = await Promise.all([
    store.read.cardBatch(batchId),
    store.read.cardCounts(batchId, clock.now()),
  ]);
  if (!batch) throw notFound(`batch ${batchId}`);
  return withStates(batch, counts);
}

function withStates(batch: CardBatch, counts: readonly CardCount[]) {
  const of = (state: CardStateView) =>
    counts.find((count) => count.batchId === batch.batchId && count.state === state)?.cards ?? 0;
  const states = { issued: of('issued'), redeemed: of('redeemed'), voided: of('voided'), expired: of('expired') };
  return { ...batch, states };
}

export async function listCards(
  { store, clock }: ReadingTools,
  { batchId, state, serials, after }: CardFilter,
  limit: number,
): Promise<CardView[]> {
  const at = clock.now();
  const isTimed = state === 'issued' || state === 'expired';
  const cards = await store.read.cards({
    limit,
    ...(batchId !== undefined && { batchId }),
    ...(state === undefined ? {} : { state: state === 'expired' ? 'issued' : state }),
    ...(isTimed ? { expiry: { at, isOver: state === 'expired' } } : {}),
    ...(serials === undefined ? {} : { serials: serials.map(normalSerial) }),
    after,
  });
  return cards.map((card) => viewCard(card, at));
}

/** Without a page limit. */
export async function listEveryCard(tools: ReadingTools, filter: Omit<CardFilter, 'after'>): Promise<CardView[]> {
  const cards: CardView[] = [];
  for (;;) {
    const page = await listCards(tools, { ...filter, after: cards.at(-1) }, LISTED_AT_ONCE);
    for (const card of page) cards.push(card);
    if (page.length < LISTED_AT_ONCE) return cards;
  }
}

function normalSerial(text: string): string {
  return text.trim().toUpperCase();
}

function viewCard({ hash: _, ...card }: Card, now: number): CardView {
  const isExpired = card.state === 'issued' && card.expiresAt !== null && card.expiresAt <= now;
  return { ...card, state: isExpired ? 'expired' : card.state };
}

/** Returns the resulting state of each card: `redeemed` ones do not change. */
export async function voidCards(tools: OperatingTools, serials: readonly string[], actor: Actor) {
  const { store } = tools;
  const wanted = [...new Set(serials.map(normalSerial))];
  if (wanted.length > MAX_CARDS) throw invalid('serials', `must be at most ${MAX_CARDS}`);
  const cards = await store.read.cards({ serials: wanted, limit: wanted.length });
  const bySerial = new Map(cards.map((card) => [card.serial, card.hash]));
  const voidOne = async (serial: string) => {
    const hash = bySerial.get(serial);
    if (hash === undefined) return { serial, state: 'unknown' as const };
    const { state } = await store.commit('void', { hash, log: logLine(tools, actor, 'cards.void', serial) });
    return { serial, state };
  };
  const results: Awaited<ReturnType<typeof voidOne>>[] = [];
  for (let from = 0; from < wanted.length; from += VOID_BATCH) {
    results.push(...(await Promise.all(wanted.slice(from, from + VOID_BATCH).map(voidOne))));
  }
  return results;
}

export type CardSheet = NonNullable<Awaited<ReturnType<typeof cardSheet>>>;

/**
 * Codes and links while this node remembers them (15 minutes); undefined afterwards. A link opens the account page with the
 * code after the #, which no server receives. Refused: not_found.
 */
export async function cardSheet(tools: OperatingTools, batchId: string) {
  const batch = await showBatch(tools, batchId);
  const cards = tools.codes?.get(batchId);
  if (!cards) return undefined;
  const link = (code: string) => `${tools.publicUrl}/account/redeem#${code}`;
  return { batch, cards: cards.map((card) => ({ ...card, link: link(card.code) })) };
}
