/** @jsxImportSource hono/jsx */
// Every model with its price, as billed: searched, filtered and sorted by the address alone.

import { MODEL_FEATURES } from '../../catalog/document.ts';
import type { Prices } from '../../kit/prices.ts';
import { taipeiMoment } from '../../kit/taipei.ts';
import { count, dateTime, listPrice, priceNumber, sentences } from '../format.ts';
import { LANGUAGES } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { Submit } from '../parts/button.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { CardSource } from '../parts/support-link.tsx';
import { type Column, figure, Table } from '../parts/table.tsx';
import { featureNames, modelPath } from './model-facts.ts';
import { PriceHistory } from './price-history.tsx';
import { factorTexts, priceCaption, pricingLead, retirementText, ruleTexts, tierName } from './price-rules.ts';
import {
  CACHE_PRICES,
  PRICING_KINDS,
  PRICING_SORTS,
  type PricedModel,
  type PricingQuery,
  type PricingSort,
  priceColumns,
  type pricingFacts,
  searchedText,
  selectModels,
  whatItBuys,
} from './pricing-models.ts';

export type PricingFacts = Awaited<ReturnType<typeof pricingFacts>>;

interface PricingProps {
  context: PageContext;
  facts: PricingFacts;
  query: PricingQuery;
}

export function PricingPage({ context, facts, query }: PricingProps) {
  const { pricing } = context.words;
  const lead = pricingLead(context.language, facts);
  const models = selectModels(facts.models, query);
  const { free_per_minute: minute, free_per_day_zero: zero, free_per_day_positive: positive } = facts.limits;
  return (
    <Page context={context} title={pricing.title} description={lead} languages={LANGUAGES}>
      <h1>{pricing.title}</h1>
      <p class="lead">{lead}</p>
      <Filters context={context} query={query} facts={facts} />
      <p class="empty" data-no-match hidden={models.length > 0}>
        {pricing.none}
      </p>
      {models.length === 0 ? null : <PriceTable context={context} models={models} query={query} />}
      <p class="faint">
        {sentences(
          pricing.effective(facts.revision, dateTime(facts.since)),
          facts.models.some(({ isFree }) => isFree) ? pricing.freeNote(minute, zero, positive) : '',
          facts.models.some(hasNoCachePrice) ? pricing.cacheNote : '',
          facts.models.some(({ rules }) => rules) ? pricing.rulesNote : '',
        )}
      </p>
      <CardSource context={context} />
      <h2 id="history">{pricing.history}</h2>
      <p>{pricing.historyLead}</p>
      {facts.history.length === 0 ? null : <PriceHistory language={context.language} history={facts.history} />}
    </Page>
  );
}

function Filters({ context, query, facts }: PricingProps) {
  const { pricing } = context.words;
  const offered = PRICING_KINDS.filter((kind) => facts.models.some(({ kinds }) => kinds.includes(kind)));
  const kinds = offered.map((kind) => [kind, pricing[kind]] as const);
  const stated = MODEL_FEATURES.filter((feature) => facts.models.some(({ features }) => features.includes(feature)));
  const features = stated.map((feature) => [feature, context.words.models.feature[feature]] as const);
  const sorts = PRICING_SORTS.map((sort) => [sort, pricing.sorts[sort]] as const);
  return (
    <form method="get" action="/pricing" class="filters">
      <TextField
        name="q"
        label={pricing.find}
        type="search"
        autocomplete={undefined}
        value={query.text}
        maxlength={100}
        data-filters=".is-prices"
      />
      <SelectField name="kind" label={pricing.kind} value={query.kind} choices={[['', pricing.allKinds], ...kinds]} />
      {features.length === 0 ? null : (
        <SelectField
          name="feature"
          label={pricing.feature}
          value={query.feature}
          choices={[['', pricing.allKinds], ...features]}
        />
      )}
      <SelectField name="sort" label={pricing.sort} value={query.sort} choices={sorts} />
      <Submit look="quiet" text={pricing.show} />
    </form>
  );
}

function PriceTable({ context, models, query }: Omit<PricingProps, 'facts'> & { models: readonly PricedModel[] }) {
  const { pricing } = context.words;
  const columns = priceColumns(models);
  const heads = [
    { ...sorted(pricing.model, 'name', query), isFigure: false },
    ...columns.map((name) => {
      const sort = PRICING_SORTS.find((one) => one === name);
      return sort ? sorted(pricing[name], sort, query) : figure(pricing[name]);
    }),
    sorted(pricing.context, 'context', query),
    figure(pricing.buys),
  ];
  return (
    <Table
      label={pricing.title}
      columns={heads}
      caption={priceCaption(context.language, columns)}
      class="stack is-prices"
    >
      {models.map((model) => (
        <>
          <PriceRow context={context} model={model} columns={columns} />
          {model.rules?.tiers.map((tier) => (
            <FurtherRow
              context={context}
              model={model}
              columns={columns}
              name={tierName(context.language, tier)}
              prices={tier.prices}
            />
          ))}
          {model.laterPrices.map(({ at, prices }) => (
            <FurtherRow
              context={context}
              model={model}
              columns={columns}
              name={pricing.from(taipeiMoment(at))}
              prices={prices}
              notes={ruleTexts(context.language, prices.rules, (name) => model.price[name] !== undefined)}
            />
          ))}
        </>
      ))}
    </Table>
  );
}

/** Its head leads to the list in the order of this column, and from there to the reverse. */
function sorted(text: string, sort: PricingSort, query: PricingQuery): Column {
  const isCurrent = query.sort === sort;
  const isFalling = (sort === 'context') !== query.isReversed;
  const params = new URLSearchParams({
    ...(query.text === '' ? {} : { q: query.text }),
    ...(query.kind === undefined ? {} : { kind: query.kind }),
    ...(query.feature === undefined ? {} : { feature: query.feature }),
    sort,
    ...(isCurrent && !query.isReversed ? { order: 'reverse' } : {}),
  });
  return {
    ...figure(text),
    head: <a href={`/pricing?${params}`}>{text}</a>,
    sorted: isCurrent ? (isFalling ? 'descending' : 'ascending') : undefined,
  };
}

function hasNoCachePrice(model: PricedModel): boolean {
  return CACHE_PRICES.some((name) => isAsInput(model, name));
}

/** These tokens exist, and cost as much as input; any other price that a model does not have does not apply to it. */
function isAsInput({ isFree, price }: PricedModel, name: keyof Prices): boolean {
  return !isFree && price.output !== undefined && CACHE_PRICES.includes(name) && price[name] === undefined;
}

export function priceText(model: PricedModel, name: keyof Prices, free: string): string {
  const value = model.price[name];
  if (value === undefined) return isAsInput(model, name) ? '–' : '';
  return model.isFree ? free : priceNumber(value);
}

/** A model whose name is its id shows it once. */
function ModelName({ model: { id, name, aliases } }: { model: PricedModel }) {
  const others = name === id ? aliases : [id, ...aliases];
  const link = <a href={modelPath(id)}>{name}</a>;
  if (others.length === 0) return link;
  return (
    <>
      {link}
      <br />
      <span class="id faint">{others.join(' · ')}</span>
    </>
  );
}

interface RowProps {
  context: PageContext;
  model: PricedModel;
  columns: readonly (keyof Prices)[];
}

function PriceRow({ context, model, columns }: RowProps) {
  const { pricing } = context.words;
  const buys = whatItBuys(context.language, model);
  // Most models chat: that goes without saying.
  const kinds = PRICING_KINDS.filter((kind) => kind !== 'chat' && model.kinds.includes(kind));
  const abilities = [...kinds.map((kind) => pricing[kind]), ...featureNames(context.language, model)];
  return (
    <tr data-text={searchedText(model)}>
      <th scope="row">
        <ModelName model={model} />
        {abilities.length === 0 ? null : <span class="under">{abilities.join(' · ')}</span>}
        {model.rules &&
          factorTexts(context.language, model.rules).map((text) => <span class="under number">{text}</span>)}
        {model.retirement && <span class="under">{retirementText(context.language, model.retirement)}</span>}
      </th>
      {columns.map((name) => (
        <td class={model.price[name] === undefined ? 'right number none' : 'right number'} data-label={pricing[name]}>
          {priceText(model, name, pricing.free)}
        </td>
      ))}
      <td class={model.contextTokens === null ? 'right number none' : 'right number'} data-label={pricing.context}>
        {model.contextTokens === null ? '' : count(model.contextTokens)}
      </td>
      <td class={buys === '' ? 'right number none' : 'right number'} data-label={pricing.buys}>
        {buys}
      </td>
    </tr>
  );
}

interface FurtherRowProps extends RowProps {
  name: string;
  prices: Prices;
  notes?: readonly string[];
}

/** Other prices of the same model: with a longer input, or later. */
function FurtherRow({ context, model, columns, name: title, prices, notes = [] }: FurtherRowProps) {
  const { pricing } = context.words;
  return (
    <tr class="is-tier" data-text={searchedText(model)}>
      <th scope="row">
        <span class="unseen">{model.name + context.words.account.colon}</span>
        {title}
        {notes.map((note) => (
          <span class="under number">{note}</span>
        ))}
      </th>
      {columns.map((name) => {
        const isListed = model.price[name] !== undefined;
        return (
          <td class={isListed ? 'right number' : 'right number none'} data-label={pricing[name]}>
            {isListed ? priceNumber(listPrice(name, prices[name])) : priceText(model, name, pricing.free)}
          </td>
        );
      })}
      {[pricing.context, pricing.buys].map((label) => (
        <td class="right number none" data-label={label} />
      ))}
    </tr>
  );
}
