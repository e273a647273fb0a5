/** @jsxImportSource hono/jsx */
// Every model with its price, as billed: searched, filtered and sorted by the address alone.

import type { PriceChange } from '../../catalog/publishing/price-history.ts';
import { count, dateTime, sentences } from '../format.ts';
import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { Field } from '../parts/field.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { CardSource } from '../parts/support-link.tsx';
import { priceNumber } from './list-price.ts';
import { PriceHistory } from './price-history.tsx';
import { PRICING_KINDS, PRICING_SORTS, type PricedModel, type PricingQuery, selectModels } from './pricing-query.ts';

export interface PricingFacts {
  models: readonly PricedModel[];
  /** The last one that changed a price, and since when; the one in force where that is not known. */
  revision: number;
  since: number;
  limits: { free_per_minute: number; free_per_day_zero: number; free_per_day_positive: number };
  history: readonly PriceChange[];
}

interface PricingProps {
  context: PageContext;
  facts: PricingFacts;
  query: PricingQuery;
}

export function PricingPage({ context, facts, query }: PricingProps) {
  const { pricing } = wordsOf(context.language);
  const models = selectModels(facts.models, query);
  const { free_per_minute: minute, free_per_day_zero: zero, free_per_day_positive: positive } = facts.limits;
  return (
    <Page context={context} title={pricing.title} description={pricing.lead} languages={LANGUAGES}>
      <h1>{pricing.title}</h1>
      <p class="lead">{pricing.lead}</p>
      <Filters context={context} query={query} />
      {models.length === 0 ? <p class="empty">{pricing.none}</p> : <PriceTable context={context} models={models} />}
      <p class="faint">
        {sentences(
          pricing.effective(facts.revision, dateTime(facts.since)),
          facts.models.some(({ isFree }) => isFree) ? pricing.freeNote(minute, zero, positive) : '',
        )}
      </p>
      <CardSource context={context} />
      <h2 id="history">{pricing.history}</h2>
      <p>{pricing.historyLead}</p>
      {facts.history.length === 0 ? null : <PriceHistory language={context.language} history={facts.history} />}
    </Page>
  );
}

function Filters({ context, query }: Omit<PricingProps, 'facts'>) {
  const { pricing } = wordsOf(context.language);
  const sorts = {
    name: pricing.sortName,
    input: pricing.sortInput,
    output: pricing.sortOutput,
    context: pricing.sortContext,
  };
  return (
    <form method="get" action="/pricing" class="filters">
      <Field name="q" label={pricing.search}>
        <input id="q" name="q" type="search" value={query.text} maxlength={100} />
      </Field>
      <Field name="kind" label={pricing.kind}>
        <select id="kind" name="kind">
          <option value="">{pricing.allKinds}</option>
          {PRICING_KINDS.map((kind) => (
            <option value={kind} selected={query.kind === kind}>
              {pricing[kind]}
            </option>
          ))}
        </select>
      </Field>
      <Field name="sort" label={pricing.sort}>
        <select id="sort" name="sort">
          {PRICING_SORTS.map((sort) => (
            <option value={sort} selected={query.sort === sort}>
              {sorts[sort]}
            </option>
          ))}
        </select>
      </Field>
      <button type="submit" class="quiet">
        {pricing.show}
      </button>
    </form>
  );
}

function PriceTable({ context, models }: { context: PageContext; models: readonly PricedModel[] }) {
  const { pricing } = wordsOf(context.language);
  const columns = priceColumns(context.language);
  return (
    <Scroll label={pricing.title}>
      <table class="stack is-prices">
        <caption>{pricing.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{pricing.model}</th>
            {[...columns.map(({ title }) => title), pricing.context, pricing.buys].map((title) => (
              <th scope="col" class="right">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <PriceRow context={context} model={model} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

export function priceColumns(language: Language): { name: keyof PricedModel['price']; title: string }[] {
  const { pricing } = wordsOf(language);
  return [
    { name: 'input', title: pricing.input },
    { name: 'cached', title: pricing.cached },
    { name: 'write5m', title: pricing.write5m },
    { name: 'write1h', title: pricing.write1h },
    { name: 'output', title: pricing.output },
    { name: 'image', title: pricing.image },
  ];
}

export function priceText(model: PricedModel, name: keyof PricedModel['price'], free: string): string {
  const value = model.price[name];
  if (value === null) return '–';
  return model.isFree ? free : priceNumber(value);
}

/** Of a model that has no other name the id need not be told twice. */
function ModelName({ model: { id, name, aliases } }: { model: PricedModel }) {
  const others = name === id ? aliases : [id, ...aliases];
  if (others.length === 0) return <>{name}</>;
  return (
    <>
      {name}
      <br />
      <span class="id faint">{others.join(' · ')}</span>
    </>
  );
}

const BUDGET_NTD = 100;
const MILLION = 1_000_000;

function PriceRow({ context, model }: { context: PageContext; model: PricedModel }) {
  const { pricing } = wordsOf(context.language);
  const { input, output, image } = model.price;
  const buys = () => {
    if (model.isFree) return '–';
    // Where an image costs its tokens too, no one figure says how many.
    if (image !== null && (input !== null || output !== null)) return '–';
    if (image !== null) return pricing.buysImages(count(Math.floor(BUDGET_NTD / image)));
    const price = output ?? input;
    if (price === null || price === 0) return '–';
    const tokens = count(Math.floor((BUDGET_NTD / price) * MILLION));
    return output === null ? pricing.buysInput(tokens) : pricing.buysTokens(tokens);
  };
  return (
    <tr>
      <th scope="row">
        <ModelName model={model} />
      </th>
      {priceColumns(context.language).map(({ name, title }) => (
        <td class={model.price[name] === null ? 'right number none' : 'right number'} data-label={title}>
          {priceText(model, name, pricing.free)}
        </td>
      ))}
      <td class={model.contextTokens === null ? 'right number none' : 'right number'} data-label={pricing.context}>
        {model.contextTokens === null ? '–' : count(model.contextTokens)}
      </td>
      <td class="right number" data-label={pricing.buys}>
        {buys()}
      </td>
    </tr>
  );
}
