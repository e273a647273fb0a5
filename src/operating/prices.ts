// Prices beside what they cost us, and edits of both as a new revision.

import type { AppliedDocument, ApplyOptions, CheckedDocument } from './documents.ts';
import type { OperatingTools } from './tools.ts';

export const PRICE_NAMES = ['input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'output', 'image'] as const;
export type PriceName = (typeof PRICE_NAMES)[number];

/** Decimal NT$ as the document has them, per 1M tokens or per image; what is not set is missing. */
export type PriceList = Partial<Record<PriceName, string>>;

export interface PriceRow {
  model: string;
  name: string;
  kinds: readonly string[];
  sale: 'free' | PriceList;
  routes: readonly RouteCost[];
}

export interface RouteCost {
  channel: string;
  /** The model's name at the upstream. */
  upstreamModel: string;
  enabled: boolean;
  priority: number;
  weight: number;
  cost: PriceList | undefined;
  /** (sale − cost) / sale of each price that both sides have; below 0 where we lose money. */
  margin: Partial<Record<PriceName, number>> | undefined;
}

export interface PriceEdit {
  model: string;
  /** Replaces what is named; null takes a price out; left out: stays. */
  sale?: 'free' | Partial<Record<PriceName, string | null>>;
  /** Of the routes to that channel, or of every route if no channel is named. */
  cost?: { channel?: string; prices: Partial<Record<PriceName, string | null>> | null };
}

export function priceTable(tools: OperatingTools): Promise<{ revision: number; rows: PriceRow[] }> {
  throw new Error('not yet');
}
/** The document with the edits, not applied: check it, show its diff, apply it. Refused: not_found for a model that is not there. */
export function editedDocument(
  tools: OperatingTools,
  edits: readonly PriceEdit[],
): Promise<{ revision: number; yaml: string }> {
  throw new Error('not yet');
}
export function checkPrices(
  tools: OperatingTools,
  edits: readonly PriceEdit[],
  baseRevision?: number,
): Promise<CheckedDocument> {
  throw new Error('not yet');
}
export function editPrices(
  tools: OperatingTools,
  edits: readonly PriceEdit[],
  options: ApplyOptions,
): Promise<AppliedDocument> {
  throw new Error('not yet');
}
