/** @jsxImportSource hono/jsx */
// All prices of one model: what customers pay beside what each route costs us.

import { PRICE_NAMES, type PriceName, priceOf } from '../../../catalog/listed-prices.ts';
import type { RetiringModel } from '../../../catalog/warn-retirement.ts';
import { taipeiMoment } from '../../../kit/taipei.ts';
import { count, decimal, percent, sentences } from '../../../site/format.ts';
import { figure, Table } from '../../../site/parts/table.tsx';
import type { ListRules, PriceList, PriceRow, RouteCost } from '../../actions/prices.ts';
import type { ConsoleContext } from '../frame.tsx';

interface SheetProps {
  context: ConsoleContext;
  row: PriceRow;
  /** Undefined if it does not retire soon. */
  retiring: RetiringModel | undefined;
}

/** The entries of one model in the document, and its margins. */
export function ModelSheet({ context, row, retiring }: SheetProps) {
  const { prices } = context.words;
  const { sale, model } = row;
  return (
    <>
      {retiring ? <p class="warn">{retiringText(context, retiring)}</p> : null}
      {sale === 'free' ? (
        <p>
          <span class="good">{prices.free}</span>{' '}
          <span class="faint">{row.routes.map(({ channel }) => channel).join(', ')}</span>
        </p>
      ) : (
        <ModelPrices context={context} sale={sale} routes={row.routes} label={model} />
      )}
      <Rules name={prices.sale} rules={row.rules} />
      {row.changes.map(({ effectiveAt, sale: later, rules }) => (
        <Rules name={prices.from(taipeiMoment(effectiveAt))} rules={rules} prices={later} />
      ))}
      {row.routes.map(({ channel, costRules }) => (
        <Rules name={`${prices.cost} ${channel}`} rules={costRules} />
      ))}
    </>
  );
}

export function retiringText({ words: { prices } }: ConsoleContext, retiring: RetiringModel): string {
  const { at, inDays, successor, isReplaced, use } = retiring;
  const date = taipeiMoment(at);
  const then = isReplaced ? prices.thenServed : prices.thenNamed;
  return sentences(
    inDays < 0 ? prices.retired(date) : inDays === 0 ? prices.retiresToday(date) : prices.retires(date, inDays),
    successor === undefined ? prices.thenRefused : then(successor),
    use ? prices.recentUse(count(use.requests), count(use.accounts)) : '',
  );
}

/** By the names of the document, where they are edited. */
function Rules({ name, rules, prices = {} }: { name: string; rules: ListRules | undefined; prices?: PriceList }) {
  const { tiers = [], service_tiers: factors = {}, tools = {} } = rules ?? {};
  const pairs = (table: object) => Object.entries(table).map(([field, value]) => `${field} ${value}`);
  const texts = [
    ...pairs(prices),
    ...tiers.map((tier) => `tiers: ${pairs(tier).join(', ')}`),
    ...pairs(factors).map((text) => `service_tiers: ${text}`),
    ...pairs(tools).map((text) => `tools: ${text}`),
  ];
  if (texts.length === 0) return null;
  return (
    <p class="faint">
      {name} · {texts.join(' · ')}
    </p>
  );
}

interface ModelPricesProps {
  context: ConsoleContext;
  sale: PriceList;
  routes: readonly RouteCost[];
  label: string;
}

function ModelPrices({ context, sale, routes, label }: ModelPricesProps) {
  const { prices } = context.words;
  const isShown = (name: PriceName) =>
    [sale, ...routes.map(({ cost }) => cost)].some((list) => list?.[name] !== undefined);
  const shown = PRICE_NAMES.filter(isShown);
  return (
    <Table label={label} columns={[prices.price, ...shown.map((name) => figure(prices[name]))]} class="stack prices">
      <tr>
        <th scope="row">{prices.sale}</th>
        {shown.map((name) => (
          <td class="right number" data-label={prices[name]}>
            <strong>
              <Listed context={context} list={sale} name={name} />
            </strong>
          </td>
        ))}
      </tr>
      {routes.map((route) => (
        <tr class={route.enabled ? '' : 'faint'}>
          <th scope="row">
            <span class="id">{route.channel}</span>
            <span class="under">
              {prices.cost} · {prices.margin}
              {route.enabled ? '' : ` · ${prices.off}`}
            </span>
          </th>
          {route.cost === undefined ? (
            <td class="faint right" colspan={Math.max(1, shown.length)}>
              {prices.noCost}
            </td>
          ) : (
            shown.map((name) => (
              <td class="right number" data-label={prices[name]}>
                <Listed context={context} list={route.cost ?? {}} name={name} />
                <Margin context={context} value={route.margin?.[name]} />
              </td>
            ))
          )}
        </tr>
      ))}
    </Table>
  );
}

/** The price that applies, with a note if it is the input price. */
function Listed({ context, list, name }: { context: ConsoleContext; list: PriceList; name: PriceName }) {
  const { prices } = context.words;
  const price = priceOf(list, name);
  if (price === undefined || list[name] !== undefined) return <>{price === undefined ? '–' : decimal(price)}</>;
  return (
    <>
      {decimal(price)} <small>{prices.asInput}</small>
    </>
  );
}

function Margin({ context, value }: { context: ConsoleContext; value: number | undefined }) {
  const { prices } = context.words;
  if (value === undefined) return null;
  if (value < 0) {
    return (
      <span class="under bad">
        −{percent(-value)} {prices.losing}
      </span>
    );
  }
  return <span class="under">{percent(value)}</span>;
}
