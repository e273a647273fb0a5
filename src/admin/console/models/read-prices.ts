// The prices that a form carries, as edits: only what differs from what stands in the document.

import { PRICE_NAMES, type PriceName } from '../../../catalog/listed-prices.ts';
import { plainNumber, typed } from '../../../site/read-form.ts';
import type { PriceEdit, PriceList, PriceRow } from '../../actions/prices.ts';
import { costField, saleField } from './price-form.tsx';

const FIGURE = /^\d{1,7}(\.\d{1,3})?$/;

export interface ReadPrices {
  edits: PriceEdit[];
  /** Fields that hold no figure. */
  wrong: Set<string>;
}

export function readPrices(form: URLSearchParams, row: PriceRow): ReadPrices {
  const wrong = new Set<string>();
  const changes = (list: PriceList, field: (name: PriceName) => string) => {
    const changed: Partial<Record<PriceName, string | null>> = {};
    for (const name of PRICE_NAMES) {
      const text = plainNumber(typed(form, field(name)));
      if (text !== '' && !FIGURE.test(text)) wrong.add(field(name));
      else if (text === '' && list[name] !== undefined) changed[name] = null;
      else if (text !== '' && !isSame(text, list[name])) changed[name] = text;
    }
    return changed;
  };

  const edits: PriceEdit[] = [];
  const isFree = form.get('free') === 'yes';
  const sale = isFree ? {} : changes(row.sale === 'free' ? {} : row.sale, saleField);
  if (isFree && row.sale !== 'free') edits.push({ model: row.model, sale: 'free' });
  else if (Object.keys(sale).length > 0) edits.push({ model: row.model, sale });
  for (const channel of new Set(row.routes.map((route) => route.channel))) {
    const known = row.routes.find((route) => route.channel === channel)?.cost ?? {};
    const prices = changes(known, (name) => costField(channel, name));
    if (Object.keys(prices).length > 0) edits.push({ model: row.model, cost: { channel, prices } });
  }
  return { edits, wrong };
}

function isSame(text: string, known: string | undefined): boolean {
  return known !== undefined && Number(text) === Number(known);
}
