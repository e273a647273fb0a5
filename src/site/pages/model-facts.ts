// What the page of a model shows: its row of the price list, what it can do, and how its channels are doing.

import type { Catalog, Model } from '../../catalog/catalog.ts';
import { pathsOf } from '../../catalog/public-catalog.ts';
import type { ChannelStatus } from '../../catalog/publishing/public-status.ts';
import type { State } from '../../catalog/publishing/status-states.ts';
import { tokenBounds } from '../../catalog/token-bounds.ts';
import type { Language } from '../language.ts';
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
  /** When its figures were read. */
  at: number;
  channels: readonly ChannelStatus[];
}

export function modelPath(id: string): string {
  return `/models/${id}`;
}

export async function modelFacts({ catalog, status }: SiteTools, model: Model): Promise<ModelFacts> {
  const active = catalog();
  const { at, models } = await status();
  const seen = models.find(({ id }) => id === model.id);
  return {
    ...pricedModel(model, active),
    description: model.description,
    outputTokens: outputOf(model, active),
    isDemo: model.demo,
    paths: pathsOf(model),
    fallbacks: model.fallbacks,
    state: seen?.state ?? 'unknown',
    at,
    channels: seen?.channels ?? [],
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

/** Of the last 24 hours; null without requests. */
export function successOfDay({ hours }: ChannelStatus): number | null {
  const requests = hours.reduce((sum, hour) => sum + hour.requests, 0);
  const succeeded = hours.reduce((sum, hour) => sum + hour.requests * (hour.successRate ?? 0), 0);
  return requests === 0 ? null : succeeded / requests;
}
