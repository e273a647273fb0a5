/** @jsxImportSource hono/jsx */
// The pages of prices: the table, the form of one model, an imported list. Each ends in the review of the document.

import { editedDocument, type PriceRow, priceTable } from '../../actions/prices.ts';
import { notFound } from '../../actions/refused.ts';
import type { ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { review } from './document-pages.tsx';
import { PriceFormPage } from './price-form.tsx';
import { PricesPage } from './price-table.tsx';
import { readPrices } from './read-prices.ts';

export function addPricePages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/models', async (visit) => {
    const { rows } = await priceTable(tools);
    return visit.show(<PricesPage context={visit.page} rows={rows} />);
  });
  visits.get('/models/edit', async (visit) => {
    const { row, revision } = await findRow(tools, visit);
    const typed = visit.form.size > 0 ? { typed: visit.form } : {};
    // What was typed before was typed on what was in force then.
    const base = Number(visit.form.get('base')) || revision;
    return visit.show(<PriceFormPage context={visit.page} row={row} base={base} {...typed} />);
  });
  visits.post('/models/edit', async (visit) => {
    const { prices, document } = visit.page.words;
    const { row } = await findRow(tools, visit);
    const base = Number(visit.form.get('base') ?? 0);
    const { edits, wrong } = readPrices(visit.form, row);
    const again = (text: string, isBad: boolean) =>
      visit.show(
        <PriceFormPage
          context={visit.page}
          row={row}
          base={base}
          typed={visit.form}
          wrong={wrong}
          notice={{ text, isBad }}
        />,
        { status: isBad ? 422 : 200 },
      );
    if (wrong.size > 0) return again(prices.notFigure, true);
    if (edits.length === 0) return again(document.unchanged, false);
    const { yaml } = await editedDocument(tools, edits);
    const back = `/models/edit?model=${encodeURIComponent(row.model)}`;
    return review(tools, visit, { yaml, base, action: 'prices.edit', back });
  });
}

async function findRow(tools: ConsoleTools, visit: ConsoleVisit): Promise<{ row: PriceRow; revision: number }> {
  const model = visit.url.searchParams.get('model') ?? '';
  const { rows, revision } = await priceTable(tools);
  const row = rows.find((one) => one.model === model);
  if (!row) throw notFound(`model ${model}`);
  return { row, revision };
}
