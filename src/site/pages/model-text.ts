// The page of a model as Markdown, for clients such as curl.

import { count, withGap } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { modelSnippets } from '../model-snippets.ts';
import { codeBlock, markdownTable, paragraphs } from './markdown-parts.ts';
import { abilityTexts, modelLead, speedFigures } from './model.tsx';
import { descriptionOf, type ModelFacts } from './model-facts.ts';
import { laterText, retirementText } from './price-dates.ts';
import { priceCaption, ruleTexts } from './price-rules.ts';
import { priceText } from './pricing.tsx';
import { listedPrices } from './pricing-models.ts';

export function modelText(language: Language, publicUrl: string, model: ModelFacts): string {
  const { models, pricing, status, account } = wordsOf(language);
  const named = (title: string, value: string) => `- ${title}${account.colon}${value}`;
  const prices = listedPrices(model).map((name) => [pricing[name], priceText(model, name, pricing.free)]);
  const dates = [
    ...model.laterPrices.map((later) => laterText(language, later)),
    ...(model.retirement ? [retirementText(language, model.retirement)] : []),
  ];
  const rules = ruleTexts(language, model.rules, (name) => model.price[name] !== undefined);
  const channels = model.channels.map((channel) => [
    channel.name,
    status[channel.state],
    ...speedFigures(channel).map(([week = '–', lastHour]) =>
      lastHour === undefined ? week : `${week}; ${models.lastHour(lastHour)}`,
    ),
  ]);
  const facts = [
    ...(model.contextTokens === null ? [] : [named(pricing.context, models.tokens(count(model.contextTokens)))]),
    ...(model.outputTokens === null ? [] : [named(models.output, models.tokens(count(model.outputTokens)))]),
    ...abilityTexts(language, model).map(([title, value]) => named(title, value)),
  ];
  return paragraphs(
    `# ${model.name}`,
    [`\`${model.id}\``, status[model.state], ...model.aliases].join(' · '),
    descriptionOf(model, language)?.text ?? modelLead(language, model),
    model.isDemo ? `> ${models.demo}` : '',
    facts.join('\n'),
    `## ${models.prices}`,
    priceCaption(language, listedPrices(model)),
    markdownTable([models.item, models.now], prices),
    [...rules, ...dates].map((text) => `- ${text}`).join('\n'),
    `## ${models.speed}`,
    `${withGap(models.speedLead)}\`x-svc-channel\``,
    models.speedHelp,
    markdownTable([status.channel, status.now, models.success, status.firstToken, status.whole], channels),
    `## ${models.use}`,
    ...modelSnippets(publicUrl, model).map(({ syntax, code }) => codeBlock(code, syntax)),
  );
}
