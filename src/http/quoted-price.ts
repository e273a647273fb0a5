// The header x-svc-quote: a call that has it is held and charged at the quoted price.

import type { QuotedRequest } from '../accounts/quotes.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { fault } from '../faults/fault.ts';
import { newQuote } from '../faults/sample-call.ts';
import type { FaultAction } from '../faults/table.ts';
import type { Json } from '../kit/json/json.ts';
import type { Nano } from '../kit/money.ts';
import type { ModelCall } from './call-model.ts';
import type { HttpTools } from './exchange.ts';

export const QUOTE_HEADER = 'x-svc-quote';

export interface QuotedPrice {
  /** With the quoted prices. */
  catalog: Catalog;
  most: Nano;
  subject: string;
}

type QuotedEndpoint = Pick<ModelCall, 'path' | 'kind' | 'dialect'>;

/** Throws `quote_expired`, also for an id that this service did not issue. */
export async function openQuote(tools: HttpTools, id: string, endpoint: QuotedEndpoint): Promise<QuotedPrice> {
  const { quotes, clock } = tools;
  const quote = quotes.ids.read(id);
  const actions = quoteActions(tools.catalog(), endpoint);
  if (!quote || clock.now() >= quote.expiresAt) throw fault('quote_expired', { actions });
  const catalog = await quotes.catalogAt(quote.revision, quote.pricedAt);
  if (!catalog) throw fault('quote_expired', { actions, internal: `revision ${quote.revision} cannot be read` });
  return { catalog, most: quote.most, subject: quote.subject };
}

/** Throws `quote_mismatch` if something else was quoted. */
export async function requireQuoted(
  { quotes }: HttpTools,
  { subject, catalog }: QuotedPrice,
  endpoint: QuotedEndpoint,
  request: Omit<QuotedRequest, 'endpoint'>,
): Promise<void> {
  if (subject === (await quotes.hashRequest({ ...request, endpoint: endpoint.path }))) return;
  throw fault('quote_mismatch', { actions: quoteActions(catalog, endpoint, request.body.model) });
}

/** The quote of a call to the same endpoint, with its model or, if that is unknown, one that serves such calls. */
function quoteActions(catalog: Catalog, { path, kind, dialect }: QuotedEndpoint, named?: Json): FaultAction[] {
  const known = typeof named === 'string' ? catalog.find(named) : undefined;
  const model = known?.kinds.includes(kind) ? known : catalog.models.find(({ kinds }) => kinds.includes(kind));
  return model ? [newQuote({ endpoint: path, promptField: dialect.request.promptField }, model.id)] : [];
}
