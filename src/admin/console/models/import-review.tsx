/** @jsxImportSource hono/jsx */
// Changes of an import before it is applied: sale prices and the costs of each channel, with their change in per cent and
// what they overwrite.

import { count, decimal, percent, sentences } from '../../../site/format.ts';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import type { ChangeList, ImportedChanges, PriceChange } from '../../actions/price-changes.ts';
import type { ConsoleContext } from '../frame.tsx';

interface ChangesProps {
  context: ConsoleContext;
  imported: ImportedChanges;
}

export function ImportedChangeTables({ context, imported: { sale, costs } }: ChangesProps) {
  const { prices, imports: words } = context.words;
  return (
    <>
      <p class="faint">{prices.unit}</p>
      <Changes context={context} title={prices.salePrices} list={sale} />
      {[...costs].map(([channel, list]) => (
        <Changes context={context} title={words.costsOf(channel)} list={list} />
      ))}
    </>
  );
}

function Changes({ context, title, list }: { context: ConsoleContext; title: string; list: ChangeList }) {
  const { prices, imports: words } = context.words;
  const { changes, unchanged } = list;
  const overwritten = changes.filter(({ before }) => before !== undefined).length;
  const text = sentences(
    overwritten > 0 ? words.overwritten(count(overwritten)) : '',
    changes.length > overwritten ? words.added(count(changes.length - overwritten)) : '',
    unchanged > 0 ? words.unchanged(count(unchanged)) : '',
  );
  return (
    <section>
      <h2>{title}</h2>
      <p class="faint">{text === '' ? words.none : text}</p>
      {changes.length === 0 ? null : (
        <DataTable
          label={title}
          columns={[prices.model, figure(prices.before), figure(prices.after), figure(words.change)]}
          rows={changes.map(({ model, price, before, after, change }) => [
            <Under of={<span class="id">{model}</span>} text={prices[price]} />,
            before === undefined ? '–' : <s>{decimal(before)}</s>,
            <strong>{decimal(after)}</strong>,
            <Change context={context} change={change} before={before} />,
          ])}
        />
      )}
    </section>
  );
}

/** From this on it may be a slip: a half more or less. */
const LARGE = 0.5;

function Change({ context, change, before }: { context: ConsoleContext } & Pick<PriceChange, 'change' | 'before'>) {
  if (change === undefined) return <>{before === undefined ? context.words.imports.isNew : '–'}</>;
  const text = `${change < 0 ? '−' : '+'}${percent(Math.abs(change))}`;
  return Math.abs(change) < LARGE ? <span>{text}</span> : <strong class="warn">{text}</strong>;
}
