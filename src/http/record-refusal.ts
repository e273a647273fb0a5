// Records a refused request for the operator: ids, the code, and figures of the gateway. Nothing that the client sent
// is kept, but for the name of a model that the catalog has.

import type { Catalog } from '../catalog/catalog.ts';
import type { Fault } from '../faults/fault.ts';
import type { Exchange, HttpTools, KeyedExchange } from './exchange.ts';

type Tools = Pick<HttpTools, 'recordRefusal' | 'catalog'>;

const NO_FIGURES = {};

/** A failure of the gateway is no refusal, and an admitted call has a usage record. */
export function recordRefusal(tools: Tools, exchange: Exchange | KeyedExchange, refused: Fault): void {
  if (refused.isOurs || exchange.wasAdmitted) return;
  const { requestId, route = '', requestedModel } = exchange;
  const key = 'key' in exchange ? exchange.key : undefined;
  tools.recordRefusal({
    requestId,
    accountId: key?.accountId ?? '',
    keyId: key?.keyId ?? '',
    endpoint: route,
    model: typeof requestedModel === 'string' ? knownModel(tools.catalog(), requestedModel) : null,
    status: refused.row.status,
    code: refused.label,
    figures: refused.details.figures ?? NO_FIGURES,
  });
}

function knownModel(catalog: Catalog, asked: string): string | null {
  return (catalog.retired.get(asked) ?? catalog.find(asked))?.id ?? null;
}
