// Data of a model's page: its row of the price list, its features, and the state of its channels.

import { type Catalog, type Model, tokenBounds } from '../../catalog/catalog.ts';
import { pathsOf } from '../../catalog/public-catalog.ts';
import type { ChannelStatus } from '../../catalog/publishing/public-status.ts';
import type { State } from '../../catalog/publishing/status-states.ts';
import type { RouteWeek } from '../../catalog/publishing/week-traffic.ts';
import { type Language, wordsOf } from '../language.ts';
import type { SiteTools } from '../tools.ts';
import { type PricedModel, pricedModel } from './pricing-models.ts';

export interface ModelFacts extends PricedModel {
  description: Model['description'];
  /** Null of a model without answers in tokens. */
  outputTokens: number | null;
  isDemo: boolean;
  paths: readonly string[];
  fallbacks: readonly string[];
  state: State;
  channels: readonly ModelChannel[];
}

export interface ModelChannel extends ChannelStatus {
  week: RouteWeek;
}

export function modelPath(id: string): string {
  return `/models/${id}`;
}

export async function modelFacts({ catalog, status, weekTraffic }: SiteTools, model: Model): Promise<ModelFacts> {
  const active = catalog();
  const [{ models }, weekOf] = await Promise.all([status(), weekTraffic()]);
  const seen = models.find(({ id }) => id === model.id);
  return {
    ...pricedModel(model, active),
    description: model.description,
    outputTokens: outputOf(model, active),
    isDemo: model.demo,
    paths: pathsOf(model),
    fallbacks: model.fallbacks,
    state: seen?.state ?? 'unknown',
    channels: (seen?.channels ?? []).map((channel) => ({ ...channel, week: weekOf(channel.name, model.id) })),
  };
}

function outputOf(model: Model, catalog: Catalog): number | null {
  return model.kinds.includes('chat') ? tokenBounds(model, catalog).output : null;
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
