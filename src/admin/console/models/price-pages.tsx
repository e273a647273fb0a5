/** @jsxImportSource hono/jsx */
// The prices of one model as a form: what customers pay, and what each channel takes. It ends in the review of the document.

import { PRICE_NAMES, type PriceName } from '../../../catalog/listed-prices.ts';
import { priceDecimals } from '../../../catalog/price-shape.ts';
import type { RetiringModel } from '../../../catalog/warn-retirement.ts';
import { parseNtd } from '../../../kit/money.ts';
import { sentences } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden, TextField } from '../../../site/parts/field.tsx';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { editedDocument, type PriceEdit, type PriceList, type PriceRow, priceTable } from '../../actions/prices.ts';
import { notFound } from '../../actions/refused.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { review } from './document-pages.tsx';
import { editPath, findRetiring, showModels } from './model-table.tsx';
import { ModelSheet } from './price-table.tsx';

export function addPricePages(visits: ConsoleVisits): void {
  visits.get('/models', showModels);
  visits.get('/models/edit', async (visit) => {
    const { row, revision } = await findRow(visit);
    const typed = visit.form.size > 0 ? visit.form : undefined;
    // Input from before was typed for the prices of that time.
    const base = Number(visit.form.get('base')) || revision;
    const retiring = (await findRetiring(visit)).find(({ model }) => model === row.model);
    return visit.show(<PriceFormPage context={visit.page} row={row} retiring={retiring} base={base} typed={typed} />);
  });
  visits.post('/models/edit', async (visit) => {
    const { prices, document } = visit.page.words;
    const { row } = await findRow(visit);
    const base = Number(visit.form.get('base') ?? 0);
    const { edits, wrong } = readPrices(visit.form, row);
    const form = { context: visit.page, row, base, typed: visit.form };
    const again = (text: string, isBad: boolean) =>
      visit.show(<PriceFormPage {...form} wrong={wrong} notice={{ text, isBad }} />, { status: isBad ? 422 : 200 });
    if (wrong.size > 0) return again(prices.notFigure, true);
    if (edits.length === 0) return again(document.unchanged, false);
    const { yaml } = await editedDocument(visit.tools, edits);
    return review(visit, { yaml, base, action: 'prices.edit', back: editPath(row.model) });
  });
}

async function findRow({ tools, url }: ConsoleVisit): Promise<{ row: PriceRow; revision: number }> {
  const model = url.searchParams.get('model') ?? '';
  const { rows, revision } = await priceTable(tools);
  const row = rows.find((one) => one.model === model);
  if (!row) throw notFound(`model ${model}`);
  return { row, revision };
}

interface PriceFormProps {
  context: ConsoleContext;
  row: PriceRow;
  retiring?: RetiringModel | undefined;
  base: number;
  /** The refused input. */
  typed?: URLSearchParams | undefined;
  /** Fields that hold no figure. */
  wrong?: ReadonlySet<string> | undefined;
  notice?: Notice | undefined;
}

/** The names of the form's fields. */
const saleField = (name: PriceName) => `sale-${name}`;
const costField = (channel: string, name: PriceName) => `cost-${channel}-${name}`;

function PriceFormPage({ context, row, retiring, base, typed, wrong, notice }: PriceFormProps) {
  const { prices, models, frame } = context.words;
  const isFree = typed ? typed.get('free') === 'yes' : row.sale === 'free';
  const channels = [...new Map(row.routes.map((route) => [route.channel, route])).values()];
  const sale = row.sale === 'free' ? {} : row.sale;
  const used = usedPrices([sale, ...channels.map(({ cost }) => cost ?? {})]);
  const figures = { context, typed, wrong, used };
  return (
    <ConsolePage
      context={context}
      section="models"
      title={prices.editTitle(row.model)}
      lead={sentences(prices.unit, prices.editLead)}
      notice={notice}
    >
      <h2>{models.now}</h2>
      <ModelSheet context={context} row={row} retiring={retiring} />
      <h2>{prices.edit}</h2>
      <form method="post" action={editPath(row.model)}>
        <Hidden fields={{ base }} />
        <fieldset>
          <legend>{prices.salePrices}</legend>
          <p>
            <label class="check">
              <input type="checkbox" name="free" value="yes" checked={isFree} /> {prices.freeOfCharge}{' '}
              <span class="faint">{prices.freeHelp}</span>
            </label>
          </p>
          <Figures {...figures} list={sale} field={saleField} />
        </fieldset>
        {channels.map(({ channel, upstreamModel, cost }) => (
          <fieldset>
            <legend>{prices.costOf(channel, upstreamModel)}</legend>
            <Figures {...figures} list={cost ?? {}} field={(name) => costField(channel, name)} />
          </fieldset>
        ))}
        <SubmitRow text={prices.review} back="/models" backText={frame.cancel} />
      </form>
    </ConsolePage>
  );
}

interface FiguresProps extends Pick<PriceFormProps, 'context' | 'typed' | 'wrong'> {
  list: PriceList;
  /** Prices that the model or one of its routes has. */
  used: ReadonlySet<PriceName>;
  field: (name: PriceName) => string;
}

function Figures({ context, list, used, field, typed, wrong }: FiguresProps) {
  const { prices } = context.words;
  const priceIn = (name: PriceName) => (typed ? (typed.get(field(name)) ?? '') : list[name]);
  const shown = PRICE_NAMES.filter((name) => used.has(name));
  const folded = PRICE_NAMES.filter((name) => !used.has(name));
  const fields = (names: readonly PriceName[]) => (
    <div class="filters is-level">
      {names.map((name) => (
        <TextField
          name={field(name)}
          label={prices[name]}
          value={priceIn(name)}
          fault={wrong?.has(field(name)) ? prices.notFigure : undefined}
          inputmode="decimal"
          maxlength={20}
        />
      ))}
    </div>
  );
  return (
    <>
      {fields(shown)}
      {folded.length === 0 ? null : (
        <details open={folded.some((name) => priceIn(name))}>
          <summary>{prices.otherPrices}</summary>
          {fields(folded)}
        </details>
      )}
    </>
  );
}

/** A model without any price is asked for those of a chat. */
function usedPrices(lists: readonly PriceList[]): ReadonlySet<PriceName> {
  const used = PRICE_NAMES.filter((name) => lists.some((list) => list[name] !== undefined));
  return new Set(used.length === 0 ? ['input', 'cached_input', 'output'] : used);
}

function isFigure(text: string, name: PriceName): boolean {
  return /^\d{1,7}(\.|$)/.test(text) && parseNtd(text, priceDecimals(name)) !== undefined;
}

/** The edits: prices that differ from the document. `wrong`: fields without a number. */
function readPrices(form: URLSearchParams, row: PriceRow): { edits: PriceEdit[]; wrong: Set<string> } {
  const wrong = new Set<string>();
  const changes = (list: PriceList, field: (name: PriceName) => string) => {
    const changed: Partial<Record<PriceName, string | null>> = {};
    for (const name of PRICE_NAMES) {
      const text = plainNumber(typed(form, field(name)));
      if (text !== '' && !isFigure(text, name)) wrong.add(field(name));
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
