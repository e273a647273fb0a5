/** @jsxImportSource hono/jsx */
// One model: what it is, what it costs, how fast it answers, and how to call it.

import { taipeiMoment } from '../../kit/taipei.ts';
import { tabPath } from '../account/frame.tsx';
import { atMost, count, listPrice, milliseconds, percent, priceNumber, withGap } from '../format.ts';
import { NoticeBox } from '../frame.tsx';
import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { modelSnippets } from '../model-snippets.ts';
import { Page, type PageContext } from '../page.tsx';
import { LinkButton, LinkLine } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { DayBars, DayBarsLegend, State } from '../parts/state.tsx';
import { DataTable, type Fact, Facts, figure, Table } from '../parts/table.tsx';
import { descriptionOf, featureNames, type ModelChannel, type ModelFacts, modelPath } from './model-facts.ts';
import { SpeedChart } from './model-speed.tsx';
import { factorTexts, priceCaption, tierName } from './price-rules.ts';
import { priceText } from './pricing.tsx';
import { listedPrices, PRICING_KINDS, whatItBuys } from './pricing-models.ts';

export function ModelPage({ context, model }: { context: PageContext; model: ModelFacts }) {
  const { language } = context;
  const { models } = context.words;
  const description = descriptionOf(model, language);
  return (
    <Page context={context} title={model.name} description={modelLead(language, model)} languages={LANGUAGES}>
      <LinkLine look="up" href="/pricing" text={models.up} />
      <h1>{model.name}</h1>
      <p class="model-names">
        <code>{model.id}</code> <State language={language} state={model.state} />
        {model.aliases.length === 0 ? null : <span class="faint">{models.also(model.aliases.join(' · '))}</span>}
      </p>
      <Notices language={language} model={model} />
      {description ? (
        <p class="lead" lang={description.language}>
          {description.text}
        </p>
      ) : null}
      {model.features.length === 0 ? null : (
        <ul class="features" aria-label={models.features}>
          {featureNames(language, model).map((name) => (
            <li>{name}</li>
          ))}
        </ul>
      )}
      <div class="row">
        {model.kinds.includes('chat') ? (
          <>
            <LinkButton href={accountLink(context, 'play', model.id)} text={models.tryIt} />
            <LinkButton look="quiet" href={accountLink(context, 'setup', model.id)} text={models.setUp} />
          </>
        ) : null}
      </div>
      <Glance language={language} model={model} />
      <h2 id="prices">{models.prices}</h2>
      <Prices language={language} model={model} />
      <h2>{models.can}</h2>
      <Facts facts={abilities(language, model)} look="pairs" valueLook="" />
      <h2 id="speed">{models.speed}</h2>
      <Speed language={language} model={model} />
      <h2 id="use">{models.use}</h2>
      <p>{models.useLead}</p>
      {modelSnippets(context.publicUrl, model).map(({ title, code }, index) => (
        <details name="example" open={index === 0}>
          <summary>{title}</summary>
          <CodeBlock language={language} code={code} />
        </details>
      ))}
      <p class="faint">
        <code>GET /v1/models/{model.id}</code> · <a href="/api/public/catalog">{context.words.frame.catalog}</a>
      </p>
    </Page>
  );
}

/** A visitor who is not signed in signs in first, and returns. */
function accountLink({ isSignedIn }: PageContext, tab: 'play' | 'setup', id: string): string {
  const path = `${tabPath(tab)}?${new URLSearchParams({ model: id })}`;
  return isSignedIn ? path : `/account/sign-in?${new URLSearchParams({ next: path })}`;
}

/** The model in a sentence, from its facts. */
export function modelLead(language: Language, { name, kinds, contextTokens }: ModelFacts): string {
  const { models } = wordsOf(language);
  const named = kindNames(language, kinds);
  if (contextTokens === null) return models.leadWithoutInput(name, named);
  return models.lead(name, named, count(contextTokens));
}

function kindNames(language: Language, kinds: readonly string[]): string {
  const { pricing } = wordsOf(language);
  const names = PRICING_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => pricing[kind]);
  const named = names.join(pricing.comma);
  return language === 'en' ? named.toLowerCase() : named;
}

interface PartProps {
  language: Language;
  model: ModelFacts;
}

function Notices({ language, model: { isDemo, retirement } }: PartProps) {
  const { models, pricing } = wordsOf(language);
  const { successor } = retirement ?? {};
  return (
    <>
      <NoticeBox notice={isDemo ? { text: models.demo, isWarning: true } : undefined} />
      <NoticeBox notice={retirement && { text: pricing.retires(taipeiMoment(retirement.at)), isWarning: true }}>
        {successor === undefined ? null : <LinkLine href={modelPath(successor)} text={models.useInstead(successor)} />}
      </NoticeBox>
    </>
  );
}

type Figure = [title: string, value: string | undefined, unit: string];

/** Facts that people compare models by. */
function Glance({ language, model }: PartProps) {
  const { models, pricing } = wordsOf(language);
  const { input, output } = model.price;
  const ntd = (value: number) => (model.isFree ? pricing.free : `NT$${priceNumber(value)}`);
  const units = (['image', 'second', 'character', 'search'] as const).map((name): Figure => {
    const price = model.price[name];
    return [pricing[name], price === undefined ? undefined : ntd(price), ''];
  });
  const figures: Figure[] = [
    [pricing.input, input === undefined ? undefined : ntd(input), model.isFree ? '' : models.perMillion],
    [pricing.output, output === undefined ? undefined : ntd(output), model.isFree ? '' : models.perMillion],
    ...units,
    [pricing.context, model.contextTokens === null ? undefined : count(model.contextTokens), 'Token'],
    [models.output, model.outputTokens === null ? undefined : count(model.outputTokens), 'Token'],
    [pricing.buys, whatItBuys(language, model) || undefined, ''],
  ];
  return (
    <ul class="cards model-glance">
      {figures.map(([title, value, unit]) =>
        value === undefined ? null : (
          <li>
            <span class="faint">{title}</span>
            <span class="figure">{value}</span>
            <span class="faint">{unit === 'Token' && language === 'en' ? 'tokens' : unit}</span>
          </li>
        ),
      )}
    </ul>
  );
}

/** One row for each price, one column for each list: now, with longer input, later. */
function Prices({ language, model }: PartProps) {
  const { models, pricing } = wordsOf(language);
  const tiers = model.rules?.tiers ?? [];
  const columns = [
    models.item,
    figure(models.now),
    ...tiers.map((tier) => figure(tierName(language, tier))),
    ...model.laterPrices.map(({ at }) => figure(pricing.from(taipeiMoment(at)))),
  ];
  const lists = [...tiers.map(({ prices }) => prices), ...model.laterPrices.map(({ prices }) => prices)];
  const listed = listedPrices(model);
  const rows = listed.map((name) => [
    pricing[name],
    priceText(model, name, pricing.free),
    ...lists.map((list) => priceNumber(listPrice(name, list[name]))),
  ]);
  return (
    <>
      <DataTable label={models.prices} columns={columns} rows={rows} caption={priceCaption(language, listed)} />
      {model.rules ? (
        <ul>
          {factorTexts(language, model.rules).map((text) => (
            <li>{text}</li>
          ))}
          <li>{pricing.rulesNote}</li>
        </ul>
      ) : null}
    </>
  );
}

function abilities(language: Language, model: ModelFacts): Fact[] {
  const { models } = wordsOf(language);
  return abilityTexts(language, model).map(([title, value]) => [
    title,
    title === models.formats ? (
      <ul class="plain">
        {model.paths.map((path) => (
          <li>
            {pathName(language, path)} <code>{path}</code>
          </li>
        ))}
      </ul>
    ) : (
      value
    ),
  ]);
}

/** Its features by name. */
export function abilityTexts(language: Language, model: ModelFacts): [title: string, value: string][] {
  const { models, pricing } = wordsOf(language);
  const formats = model.paths.map((path) => `${pathName(language, path)} (${path})`).join(pricing.comma);
  const { input, cachedInput } = model.price;
  const isChat = model.kinds.includes('chat');
  const isCheaper = input !== undefined && cachedInput !== undefined && cachedInput < input;
  const cache = isCheaper ? models.cacheFrom(`NT$${priceNumber(cachedInput)}`) : models.noCache;
  const { fallbacks } = model;
  const features = featureNames(language, model).join(pricing.comma);
  return [
    ...(features === '' ? [] : [[models.features, features] as [string, string]]),
    [models.formats, formats],
    ...(isChat ? [[models.streaming, models.streamed] as [string, string]] : []),
    ...(isChat && !model.isFree ? [[models.cache, cache] as [string, string]] : []),
    [models.fallbacks, fallbacks.length === 0 ? models.noFallback : models.fallbackTo(fallbacks.join(pricing.comma))],
  ];
}

function pathName(language: Language, path: string): string {
  const names: Readonly<Record<string, string>> = wordsOf(language).models.paths;
  return names[path.replace(/^(\/v1beta\/models\/).*:/, '$1{model}:')] ?? path;
}

function Speed({ language, model }: PartProps) {
  const { models, status } = wordsOf(language);
  const figures = [models.success, status.firstToken, status.whole];
  const hasTraffic = model.channels.some(({ week, lastHour }) => week.successRate !== null || lastHour.requests > 0);
  return (
    <>
      <p>
        {withGap(models.speedLead)}
        <code>x-svc-channel</code>
      </p>
      {hasTraffic ? <p class="faint">{models.speedHelp}</p> : <p class="empty">{models.noTraffic}</p>}
      <Table
        label={models.speed}
        columns={[status.channel, status.now, ...figures.map(figure), status.days]}
        class="stack is-status"
      >
        {model.channels.map((channel) => (
          <tr>
            <th scope="row" class="what id">
              {channel.name}
            </th>
            <td class="how">
              <State language={language} state={channel.state} />
            </td>
            {speedFigures(channel).map(([week, lastHour], index) => (
              <td class={week === undefined ? 'right number none' : 'right number'} data-label={figures[index]}>
                <span>
                  {week ?? '–'}
                  {lastHour === undefined ? null : <span class="under">{models.lastHour(lastHour)}</span>}
                </span>
              </td>
            ))}
            <td class="days">
              <DayBars language={language} days={channel.days} />
            </td>
          </tr>
        ))}
      </Table>
      <DayBarsLegend language={language} />
      <SpeedChart language={language} channels={model.channels} />
    </>
  );
}

type SpeedFigure = [week: string | undefined, lastHour: string | undefined];

/** Success, first token and whole answer; undefined where nothing is known. Times of the last hour are exact. */
export function speedFigures({ week, lastHour }: ModelChannel): SpeedFigure[] {
  const known = (value: number | null, write: (value: number) => string) => (value === null ? undefined : write(value));
  return [
    [known(week.successRate, percent), known(lastHour.successRate, percent)],
    [known(week.firstTokenMs, atMost), known(lastHour.firstTokenMs.p50, milliseconds)],
    [known(week.wholeMs, atMost), known(lastHour.wholeMs.p50, milliseconds)],
  ];
}

interface RetiredProps {
  context: PageContext;
  id: string;
  retirement: NonNullable<ModelFacts['retirement']>;
}

export function RetiredModelPage({ context, id, retirement: { at, successor } }: RetiredProps) {
  const { models } = context.words;
  return (
    <Page context={context} title={models.goneTitle(id)}>
      <div class="narrow">
        <h1>{models.goneTitle(id)}</h1>
        <p class="lead">{models.gone(taipeiMoment(at))}</p>
        <div class="row">
          {successor === undefined ? null : (
            <LinkButton href={modelPath(successor)} text={models.useInstead(successor)} />
          )}
          <LinkButton look="quiet" href="/pricing" text={models.up} />
        </div>
      </div>
    </Page>
  );
}
