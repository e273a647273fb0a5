// Prepaid cards: batches, codes shown once, search, void.

import type { Nano } from '../kit/money.ts';
import type { CardBatch, CardKind } from '../store/rows.ts';
import type { Actor, OperatingTools } from './tools.ts';

export const MAX_CARDS = 10_000;

export interface IssueRequest {
  amount: Nano;
  count: number;
  kind: CardKind;
  /** A date such as 2027-12-31, which counts to its end in Taipei; for promo cards only. */
  expires?: string | undefined;
  note?: string | undefined;
}

export interface IssuedBatch {
  batch: CardBatch;
  /** Shown once: afterwards only HMACs exist. */
  cards: readonly { serial: string; code: string }[];
}

export type CardStateView = 'issued' | 'redeemed' | 'voided' | 'expired';

export interface CardView {
  serial: string;
  batchId: string;
  kind: CardKind;
  amount: Nano;
  state: CardStateView;
  expiresAt: number | null;
  redeemedBy: string | null;
  redeemedAt: number | null;
}

export interface BatchView extends CardBatch {
  /** How many of its cards are in each state now. */
  states: Readonly<Record<CardStateView, number>>;
}

export interface CardFilter {
  batchId?: string | undefined;
  state?: CardStateView | undefined;
  /** Whole serials, in any case. */
  serials?: readonly string[] | undefined;
}

export interface CardSheet {
  batch: BatchView;
  /** `link` opens the account page with the code after the #, which no server sees. */
  cards: readonly { serial: string; code: string; link: string }[];
}

/** Refused: invalid. `first` hears of the cards before they exist: no card is good whose code nobody has. */
export function issueCards(
  tools: OperatingTools,
  request: IssueRequest & { actor: Actor },
  first?: (cards: IssuedBatch['cards']) => void,
): Promise<IssuedBatch> {
  throw new Error('not yet');
}
/** Newest first. */
export function listBatches(tools: OperatingTools, limit: number): Promise<BatchView[]> {
  throw new Error('not yet');
}
/** Refused: not_found. */
export function showBatch(tools: OperatingTools, batchId: string): Promise<BatchView> {
  throw new Error('not yet');
}
export function listCards(tools: OperatingTools, filter: CardFilter, limit: number): Promise<CardView[]> {
  throw new Error('not yet');
}
/** What each card is afterwards: `redeemed` ones stay so. */
export function voidCards(
  tools: OperatingTools,
  serials: readonly string[],
  actor: Actor,
): Promise<{ serial: string; state: 'voided' | 'redeemed' | 'unknown' }[]> {
  throw new Error('not yet');
}
/** Codes and links while this node still remembers them (15 minutes); undefined afterwards. */
export function cardSheet(tools: OperatingTools, batchId: string): Promise<CardSheet | undefined> {
  throw new Error('not yet');
}
