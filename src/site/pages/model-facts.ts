// Data of a model's page: its row of the price list, its features, and the state of its channels.

import { type Model, tokenBounds } from '../../catalog/catalog.ts';
import { pathsOf } from '../../catalog/public-catalog.ts';
import { type Language, wordsOf } from '../language.ts';
import type { SiteTools } from '../tools.ts';
import { type PricedModel, pricedModel } from './pricing-models.ts';

export type ModelFacts = Awaited<ReturnType<typeof modelFacts>>;
export type ModelChannel = ModelFacts['channels'][number];

export function modelPath(id: string): string {
  return `/models/${id}`;
}

export async function modelFacts({ catalog, status, weekTraffic }: SiteTools, model: Model) {
  const active = catalog();
  const [{ models }, weekOf] = await Promise.all([status(), weekTraffic()]);
  const seen = models.find(({ id }) => id === model.id);
  return {
    ...pricedModel(model, active),
    description: model.description,
    /** Null of a model without answers in tokens. */
    outputTokens: model.kinds.includes('chat') ? tokenBounds(model, active).output : null,
    isDemo: model.demo,
    paths: pathsOf(model),
    fallbacks: model.fallbacks,
    state: seen?.state ?? ('unknown' as const),
    channels: (seen?.channels ?? []).map((channel) => ({ ...channel, week: weekOf(channel.name, model.id) })),
  };
}

/** In the reader's language, else in the other one. */
export function descriptionOf({ description }: ModelFacts, language: Language) {
  const other: Language = language === 'en' ? 'zh-TW' : 'en';
  const written = [language, other].find((one) => description[one] !== undefined);
  return written === undefined ? undefined : { language: written, text: description[written] ?? '' };
}

export function featureNames(language: Language, { features }: Pick<PricedModel, 'features'>): string[] {
  const { feature } = wordsOf(language).models;
  return features.map((name) => feature[name]);
}
