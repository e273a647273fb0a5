/** @jsxImportSource hono/jsx */
// What a list makes of the prices, beside what they are now.

import { PRICE_NAMES, type PriceName } from '../../../catalog/listed-prices.ts';
import { decimal } from '../../../site/format.ts';
import { type Language, wordsOf } from '../../../site/language.ts';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import type { ImportedPrices, ImportNote } from '../../actions/import-prices.ts';
import type { PriceList } from '../../actions/prices.ts';
import { consoleWords } from '../words/words.ts';
import { priceNames } from './price-names.ts';

export function ImportedRows({ language, imported }: { language: Language; imported: ImportedPrices }) {
  const { prices } = consoleWords(language);
  const names = priceNames(language);
  const rows = imported.rows.flatMap(({ model, before, after, cost }) =>
    PRICE_NAMES.filter((name) => cost[name] !== undefined).map((name) => [
      <Under of={<span class="id">{model}</span>} text={names[name]} />,
      before === 'free' ? prices.free : priceOf(before, name),
      after[name] === undefined ? <span class="faint">{prices.stays}</span> : <strong>{priceOf(after, name)}</strong>,
      priceOf(cost, name),
    ]),
  );
  return (
    <>
      <DataTable
        label={prices.tabImport}
        caption={prices.unit}
        columns={[prices.model, figure(prices.before), figure(prices.after), figure(prices.cost)]}
        rows={rows}
      />
      <ImportNotes language={language} notes={imported.notes} />
      <Unknown language={language} unknown={imported.unknown} />
    </>
  );
}

export function ImportNotes({ language, notes }: { language: Language; notes: readonly ImportNote[] }) {
  const { prices } = consoleWords(language);
  if (notes.length === 0) return null;
  return (
    <ul class="note faults">
      {notes.map(({ path, code }) => (
        <li>
          <code>{path}</code>
          <span>{prices.notes[code]}</span>
        </li>
      ))}
    </ul>
  );
}

export function Unknown({ language, unknown }: { language: Language; unknown: readonly string[] }) {
  const { prices } = consoleWords(language);
  const { colon } = wordsOf(language).account;
  if (unknown.length === 0) return null;
  return (
    <p class="note">
      {prices.unknown}
      {colon}
      <span class="id">{unknown.join(', ')}</span>
    </p>
  );
}

function priceOf(list: PriceList, name: PriceName): string {
  const price = list[name];
  return price === undefined ? '–' : decimal(price);
}
