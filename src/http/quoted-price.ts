// The header x-svc-quote: a call that has it is held and charged at the quoted price.

import type { QuotedRequest } from '../accounts/quotes/hash-request.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { fault } from '../faults/fault.ts';
import type { Nano } from '../kit/money.ts';
import type { HttpTools } from './exchange.ts';

export const QUOTE_HEADER = 'x-svc-quote';

export interface QuotedPrice {
  /** With the quoted prices. */
  catalog: Catalog;
  most: Nano;
  subject: string;
}

/** Throws `quote_expired`, also for an id that this service did not issue. */
export async function openQuote({ quotes, clock }: HttpTools, id: string): Promise<QuotedPrice> {
  const quote = quotes.ids.read(id);
  if (!quote || clock.now() >= quote.expiresAt) throw fault('quote_expired');
  const catalog = await quotes.catalogAt(quote.revision);
  if (!catalog) throw fault('quote_expired', { internal: `revision ${quote.revision} cannot be read` });
  return { catalog, most: quote.most, subject: quote.subject };
}

/** Throws `quote_mismatch` if something else was quoted. */
export async function requireQuoted({ quotes }: HttpTools, quoted: QuotedPrice, request: QuotedRequest): Promise<void> {
  if (quoted.subject !== (await quotes.hashRequest(request))) throw fault('quote_mismatch');
}
