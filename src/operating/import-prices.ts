// A price list of an upstream, in US$ per 1M tokens, as edits of ours in NT$.

import type { PriceEdit, PriceList } from './prices.ts';
import type { OperatingTools } from './tools.ts';

export interface ImportOptions {
  /** NT$ for one US$, as a decimal text. */
  rate: string;
  /** Percent on top, as a decimal text: `20` sells at 1.2 times the cost. */
  markup: string;
  /** Also note what the list says, without the mark-up, as the cost of every route of the model, or of those to `channel`. */
  setCost: boolean;
  channel?: string | undefined;
}

export interface ImportedPrices {
  revision: number;
  edits: PriceEdit[];
  rows: { model: string; before: 'free' | PriceList; after: PriceList; cost: PriceList }[];
  /** In the list, but not in the catalog. */
  unknown: string[];
  /** By line of a CSV or place in a JSON list. */
  faults: { path: string; message: string }[];
}

/** Reads CSV (with a header) or JSON (a list of objects, or an object by model); changes nothing. */
export function importPrices(tools: OperatingTools, text: string, options: ImportOptions): Promise<ImportedPrices> {
  throw new Error('not yet');
}
