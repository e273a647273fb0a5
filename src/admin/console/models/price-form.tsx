/** @jsxImportSource hono/jsx */
// The prices of one model as a form: what customers pay, and what each channel takes.

import { PRICE_NAMES, type PriceName } from '../../../catalog/listed-prices.ts';
import { sentences } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden, TextField } from '../../../site/parts/field.tsx';
import type { PriceList, PriceRow } from '../../actions/prices.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { priceNames } from './price-names.ts';

interface PriceFormProps {
  context: ConsoleContext;
  row: PriceRow;
  base: number;
  /** What was sent and refused. */
  typed?: URLSearchParams;
  /** Fields that hold no figure. */
  wrong?: ReadonlySet<string>;
  notice?: Notice | undefined;
}

/** The names of the form's fields. */
export const saleField = (name: PriceName) => `sale-${name}`;
export const costField = (channel: string, name: PriceName) => `cost-${channel}-${name}`;

export function PriceFormPage({ context, row, base, typed, wrong, notice }: PriceFormProps) {
  const { prices, frame } = context.words;
  const isFree = typed ? typed.get('free') === 'yes' : row.sale === 'free';
  const channels = [...new Map(row.routes.map((route) => [route.channel, route])).values()];
  const query = `?model=${encodeURIComponent(row.model)}`;
  const figures = { context, typed, wrong };
  return (
    <ConsolePage
      context={{ ...context, path: '/models/edit', query }}
      section="models"
      title={prices.editTitle(row.model)}
      lead={sentences(prices.unit, prices.editLead)}
      notice={notice}
    >
      <form method="post" action={`/models/edit${query}`}>
        <Hidden fields={{ base }} />
        <fieldset>
          <legend>{prices.salePrices}</legend>
          <p>
            <label class="check">
              <input type="checkbox" name="free" value="yes" checked={isFree} /> {prices.freeOfCharge}{' '}
              <span class="faint">{prices.freeHelp}</span>
            </label>
          </p>
          <Figures {...figures} list={row.sale === 'free' ? {} : row.sale} field={saleField} />
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

interface FiguresProps {
  context: ConsoleContext;
  list: PriceList;
  field: (name: PriceName) => string;
  typed?: URLSearchParams | undefined;
  wrong?: ReadonlySet<string> | undefined;
}

function Figures({ context, list, field, typed, wrong }: FiguresProps) {
  const { prices } = context.words;
  const names = priceNames(context.language);
  return (
    <div class="filters is-level">
      {PRICE_NAMES.map((name) => (
        <TextField
          name={field(name)}
          label={names[name]}
          value={typed ? (typed.get(field(name)) ?? '') : list[name]}
          fault={wrong?.has(field(name)) ? prices.notFigure : undefined}
          inputmode="decimal"
          maxlength={20}
        />
      ))}
    </div>
  );
}
