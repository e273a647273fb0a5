/** @jsxImportSource hono/jsx */
// All models in one table: what customers pay, what it costs us, what is left, and how much is sold. What is sold below cost
// comes first. Each price leads to its field in the form.

import type { Child } from 'hono/jsx';
import { PRICE_NAMES, type PriceName, priceOf } from '../../../catalog/listed-prices.ts';
import type { RetiringModel } from '../../../catalog/warn-retirement.ts';
import { count, decimal, percent, sentences } from '../../../site/format.ts';
import { Money } from '../../../site/parts/amount.tsx';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { Hidden, TextField } from '../../../site/parts/field.tsx';
import { Scroll } from '../../../site/parts/table.tsx';
import { typed, wholeNumber } from '../../../site/read-form.ts';
import { isBelowCost, MODEL_ORDERS, type ModelLine, type ModelOrder, modelTable } from '../../actions/model-table.ts';
import { readNewest } from '../../actions/newest.ts';
import type { PriceList } from '../../actions/prices.ts';
import { listRetiring } from '../../actions/retirements.ts';
import { channelPath } from '../channels/list.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { pageIn } from '../pager.tsx';
import type { ConsoleVisit } from '../visits.tsx';
import { retiringText } from './price-table.tsx';

type TableView = ReturnType<typeof readView>;

/** A page with more would be too large. */
const PAGE = 40;

export async function showModels(visit: ConsoleVisit): Promise<Response> {
  const { page: context } = visit;
  const { prices, models: words } = context.words;
  const asked = readView(visit.url.searchParams);
  const [lines, retiring] = await Promise.all([modelTable(visit.tools, asked), findRetiring(visit)]);
  const { page, from } = pageIn(asked.page, PAGE, lines.length);
  const view = { ...asked, page };
  const shown = lines.slice(from, from + PAGE);
  const belowCost = lines.filter(isBelowCost).length;
  const lead = sentences(view.search === '' ? words.lead(belowCost) : '', prices.unit);
  return visit.show(
    <ConsolePage context={context} section="models" title={prices.title} lead={lead}>
      <Search context={context} view={view} />
      {shown.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <Scroll label={prices.title}>
          <table class="stack is-plain is-models">
            <Head context={context} view={view} />
            <tbody>
              {shown.map((line) => (
                <Line context={context} line={line} retiring={retiring.find(({ model }) => model === line.row.model)} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <Pages context={context} view={view} pages={Math.ceil(lines.length / PAGE)} />
    </ConsolePage>,
  );
}

export async function findRetiring({ tools }: ConsoleVisit): Promise<RetiringModel[]> {
  const { document } = await readNewest(tools);
  return listRetiring(document, tools.clock.now(), async () => tools);
}

function pathOf({ search, order, isReversed, page }: TableView): string {
  const query = new URLSearchParams();
  if (search !== '') query.set('q', search);
  if (order !== undefined) query.set('sort', isReversed ? `-${order}` : order);
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? '/models' : `/models?${query}`;
}

function readView(query: URLSearchParams) {
  const sort = query.get('sort') ?? '';
  const order = MODEL_ORDERS.find((one) => one === sort.replace(/^-/, ''));
  const isReversed = order !== undefined && sort.startsWith('-');
  return { search: typed(query, 'q'), order, isReversed, page: wholeNumber(query, 'page') ?? 1 };
}

interface ViewProps {
  context: ConsoleContext;
  view: TableView;
}

function Search({ context, view }: ViewProps) {
  const { models: words } = context.words;
  const { search, order, isReversed } = view;
  return (
    <form method="get" action="/models" class="search">
      {order === undefined ? null : <Hidden fields={{ sort: isReversed ? `-${order}` : order }} />}
      <TextField name="q" label={words.search} type="search" value={search} maxlength={100} />
      <div class="row">
        <Submit look="quiet" text={words.find} />
        {search === '' ? null : (
          <LinkButton look="quiet" href={pathOf({ ...view, search: '', page: 1 })} text={words.clear} />
        )}
        {order === undefined ? null : (
          <LinkButton look="quiet" href={pathOf({ ...view, order: undefined, page: 1 })} text={words.usual} />
        )}
      </div>
    </form>
  );
}

function Head({ context, view }: ViewProps) {
  const { models: words, prices } = context.words;
  const sorted = (order: ModelOrder, look = 'right') => {
    const isCurrent = view.order === order;
    const isAscending = (order === 'model' || order === 'margin') !== view.isReversed;
    const path = pathOf({ ...view, order, isReversed: isCurrent && !view.isReversed, page: 1 });
    return (
      <th scope="col" class={look} {...(isCurrent ? { 'aria-sort': isAscending ? 'ascending' : 'descending' } : {})}>
        <a href={path} title={words.sortBy(words.order[order])}>
          {words.order[order]}
        </a>
        {isCurrent ? <span aria-hidden="true"> {isAscending ? '↑' : '↓'}</span> : null}
      </th>
    );
  };
  return (
    <thead>
      <tr>
        {sorted('model', '')}
        {sorted('price')}
        <th scope="col" class="right">
          {prices.cost}
        </th>
        {sorted('margin')}
        {sorted('volume')}
        <th scope="col">{words.routes}</th>
        <th scope="col">
          <span class="unseen">{prices.edit}</span>
        </th>
      </tr>
    </thead>
  );
}

interface LineProps {
  context: ConsoleContext;
  line: ModelLine;
  /** Undefined if it does not retire soon. */
  retiring: RetiringModel | undefined;
}

function Line({ context, line, retiring }: LineProps) {
  const { models: words, prices } = context.words;
  const { row, lowest, use } = line;
  const edit = editPath(row.model);
  return (
    <tr>
      <th scope="row">
        <a href={edit}>{row.name}</a>
        {row.name === row.model ? null : <span class="under id">{row.model}</span>}
        {retiring ? <span class="under warn">{retiringText(context, retiring)}</span> : null}
      </th>
      {row.sale === 'free' ? (
        <FreeCells context={context} />
      ) : (
        <PriceCells context={context} line={line} sale={row.sale} />
      )}
      <td class="right number" data-label={words.order.volume}>
        {use.requests === 0 ? (
          <span class="under">{words.unused}</span>
        ) : (
          <>
            <Money value={use.revenue} />
            <span class="under">{words.requests(count(use.requests))}</span>
          </>
        )}
      </td>
      <td data-label={words.routes}>
        <Routes line={line} />
        {lowest && line.costUnknown.length > 0 ? (
          <span class="under warn">{words.unknownOn(line.costUnknown.join(', '))}</span>
        ) : null}
      </td>
      <td>
        <LinkButton look="quiet small" href={edit} text={prices.edit} about={`: ${row.model}`} />
      </td>
    </tr>
  );
}

export function editPath(model: string): string {
  return `/models/edit?model=${encodeURIComponent(model)}`;
}

function FreeCells({ context }: { context: ConsoleContext }) {
  const { models: words, prices } = context.words;
  return (
    <>
      <td class="right" data-label={words.order.price}>
        <span class="good">{words.free}</span>
      </td>
      <td class="right none" data-label={prices.cost}>
        –
      </td>
      <td class="right none" data-label={words.order.margin}>
        –
      </td>
    </>
  );
}

/** The main prices of the kinds of models. Other prices are shown only if they have the lowest margin. */
const MAIN: ReadonlySet<PriceName> = new Set(['input', 'output', 'image', 'second', 'character', 'search']);

interface PriceCellsProps {
  context: ConsoleContext;
  line: ModelLine;
  sale: PriceList;
}

function PriceCells({ context, line: { row, lowest }, sale }: PriceCellsProps) {
  const { models: words, prices } = context.words;
  const names = PRICE_NAMES.filter((name) => (sale[name] !== undefined && MAIN.has(name)) || name === lowest?.price);
  const hasMore = row.rules !== undefined || row.changes.length > 0;
  const unit = (name: PriceName, value: Child, look = '') => (
    <span class={`unit ${look}`.trim()}>
      <span class="faint">{prices[name]}</span> {value}
    </span>
  );
  return (
    <>
      <td class="right number" data-label={words.order.price}>
        {names.map((name) =>
          unit(
            name,
            <a href={`${editPath(row.model)}#sale-${name}`} title={words.editPrice(prices[name], row.model)}>
              {shown(sale, name)}
            </a>,
          ),
        )}
        {hasMore ? <span class="under">{words.more}</span> : null}
      </td>
      {lowest === undefined ? (
        <td class="right faint" colspan={2} data-label={prices.cost}>
          {words.unknown}
        </td>
      ) : (
        <>
          <td class="right number is-repeated" data-label={prices.cost}>
            {names.map((name) => unit(name, shown(lowest.route.cost ?? {}, name)))}
            {row.routes.filter(({ enabled }) => enabled).length > 1 ? (
              <span class="under">{words.lowestOf(lowest.route.channel)}</span>
            ) : null}
          </td>
          <td class="right number is-repeated" data-label={words.order.margin}>
            {names.map((name) => unit(name, marginText(lowest.route.margin?.[name]), marginLook(lowest, name)))}
            {lowest.margin < 0 ? <span class="under bad">{words.below}</span> : null}
          </td>
        </>
      )}
    </>
  );
}

function shown(list: PriceList, name: PriceName): string {
  const price = priceOf(list, name);
  return price === undefined ? '–' : decimal(price);
}

function marginText(margin: number | undefined): string {
  if (margin === undefined) return '–';
  return margin < 0 ? `−${percent(-margin)}` : percent(margin);
}

function marginLook({ price, route }: NonNullable<ModelLine['lowest']>, name: PriceName): string {
  return `${name === price ? 'is-lowest' : ''} ${(route.margin?.[name] ?? 0) < 0 ? 'bad' : ''}`.trim();
}

function Routes({ line: { row } }: { line: ModelLine }) {
  return (
    <span class="routes">
      {[...new Map(row.routes.map((route) => [route.channel, route])).values()].map(({ channel, enabled }) => (
        <a class={enabled ? 'id' : 'id faint'} href={channelPath(channel)}>
          {channel}
        </a>
      ))}
    </span>
  );
}

function Pages({ context, view, pages }: ViewProps & { pages: number }) {
  const { models: words } = context.words;
  if (pages < 2) return null;
  return (
    <nav class="tabs" aria-label={words.pages}>
      {Array.from({ length: pages }, (_, index) => (
        <a
          href={pathOf({ ...view, page: index + 1 })}
          {...(index + 1 === view.page ? { 'aria-current': 'page' as const } : {})}
        >
          {words.page(index + 1)}
        </a>
      ))}
    </nav>
  );
}
