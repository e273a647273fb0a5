// Changes of a valid document that may be mistakes: the console and the operator's API ask for confirmation, applying a
// file prints them.

import { isDeepStrictEqual } from 'node:util';
import { counted } from '../kit/counted.ts';
import { formatNtd, type Nano } from '../kit/money.ts';
import { leastInput } from '../kit/prices.ts';
import type { TrafficDay } from '../store/reads.ts';
import { PRICED_TOOLS } from '../vendors/tools.ts';
import type { Document, DocumentModel } from './document.ts';
import { isReference } from './document-secrets.ts';
import { PRICE_NAMES, priceOf } from './listed-prices.ts';
import { beginningOf } from './price-shape.ts';
import { priceAt } from './schedule.ts';

export interface DocumentWarning {
  code: /** Ten times as much or a tenth, or beyond. `price`, `before` and `after` (NT$) say which. */
    | 'price_jump'
    | 'became_free'
    | 'became_paid'
    | 'last_route_lost'
    | 'model_removed'
    | 'channel_removed'
    /** A new key looks like a reference in the syntax of another program. */
    | 'literal_reference'
    /** A rollback restores the key of the old `revision`. */
    | 'key_returned'
    /** Usage that was to be kept is deleted. `before` (absent: permanently) and `after` are months. */
    | 'usage_shortened'
    /** Unused keys are revoked earlier. `before` (absent: never) and `after` are days. */
    | 'suspension_shortened';
  /** As in faults; in the previous document if something was removed. */
  path: string;
  message: string;
  /** The model, channel or guard. */
  subject: string;
  price?: string;
  before?: string;
  after?: string;
  /** Requests in the last 30 days, if something is removed. */
  requests?: number;
  revision?: number;
}

/** The period in which traffic of removed entries is counted. */
export const TRAFFIC_DAYS = 30;

const JUMP = 10n;

/** `at`: the moment at which the prices are compared. */
export function findWarnings(
  before: Document,
  after: Document,
  traffic: readonly TrafficDay[],
  at: number,
): DocumentWarning[] {
  const known = new Map(before.models.map((model) => [model.id, model]));
  return [
    ...after.models.flatMap((model, index) => {
      // A renamed model may still answer under the old id.
      const old = [model.id, ...model.aliases].map((id) => known.get(id)).find((model) => model !== undefined);
      const path = `models[${index}]`;
      if (!old) return [];
      return [
        ...comparePrices(
          { ...old, price: priceAt(old.price, at) },
          { ...model, price: priceAt(model.price, at) },
          path,
        ),
        ...compareChanges(old, model, path),
        ...compareRoutes({ before, after }, old, model, path),
      ];
    }),
    ...findRemoved(before, after, traffic),
    ...compareGuards(before, after),
    ...warnLiterals(after),
  ];
}

/** ${NAME}, $NAME, Env:NAME: as other programs write it. */
const LIKE_REFERENCE = /^(\$\w+|\$\{.*\}|\$env:.*|(env|file):.*)$/i;

/** Stored keys are sealed and not checked. */
export function warnLiterals({ channels }: Document): DocumentWarning[] {
  return channels.flatMap(({ name, api_key: secret }, index): DocumentWarning[] => {
    if (secret === undefined || isReference(secret) || !LIKE_REFERENCE.test(secret)) return [];
    const message = `${name}: this looks like the name of a variable or a file, and is taken as the key itself; write env:NAME or file:PATH`;
    return [{ code: 'literal_reference', path: `channels[${index}].api_key`, subject: name, message }];
  });
}

/** Names the channels that get the key of their old revision in a rollback. */
export function warnReturned(document: Document, names: readonly string[], revision: number): DocumentWarning[] {
  return document.channels.flatMap(({ name }, index): DocumentWarning[] => {
    if (!names.includes(name)) return [];
    const message = `${name}: its key of revision ${revision} comes back; the upstream may have revoked it since`;
    return [{ code: 'key_returned', path: `channels[${index}].api_key`, subject: name, message, revision }];
  });
}

/** Each new change of a price, against the price before it. */
function compareChanges({ price: old }: DocumentModel, model: DocumentModel, path: string): DocumentWarning[] {
  const { price } = model;
  if (price === 'free') return [];
  const known = old === 'free' ? [] : (old.changes ?? []);
  return (price.changes ?? []).flatMap((change, index) => {
    if (known.some((one) => isDeepStrictEqual(one, change))) return [];
    const [was, is] = [change.effective_at - 1, change.effective_at].map((at) => ({
      ...model,
      price: priceAt(price, at),
    }));
    return was && is ? comparePrices(was, is, path, `price.changes[${index}]`) : [];
  });
}

function comparePrices(old: DocumentModel, model: DocumentModel, path: string, list = 'price'): DocumentWarning[] {
  const { id: subject } = model;
  const at = `${path}.${list}`;
  if (old.price === 'free' && model.price === 'free') return [];
  if (old.price === 'free') {
    return [{ code: 'became_paid', path: at, subject, message: `${subject} was free and costs money now` }];
  }
  if (model.price === 'free') {
    return [{ code: 'became_free', path: at, subject, message: `${subject} cost money and is free now` }];
  }
  const { price: was } = old;
  const { price: is } = model;
  const jump = (price: string, path: string, low: Nano | undefined, high: Nano | undefined): DocumentWarning[] => {
    if (low === undefined || high === undefined || (high < low * JUMP && high * JUMP > low)) return [];
    const [from, to] = [formatNtd(low), formatNtd(high)];
    const message = `${subject}: the price changes from NT$${from} to NT$${to}`;
    return [{ code: 'price_jump', path: `${at}.${path}`, subject, message, price, before: from, after: to }];
  };
  const tierBefore = new Map(was.tiers?.map((tier) => [leastInput(beginningOf(tier)), tier]));
  return [
    ...PRICE_NAMES.flatMap((price) => {
      if (was[price] === undefined && is[price] === undefined) return [];
      // Removing a price changes it, too.
      return jump(price, price, priceOf(was, price), priceOf(is, price));
    }),
    ...(is.tiers ?? []).flatMap((tier, index) => {
      const before = tierBefore.get(leastInput(beginningOf(tier)));
      return PRICE_NAMES.flatMap((price) => jump(price, `tiers[${index}].${price}`, before?.[price], tier[price]));
    }),
    ...PRICED_TOOLS.flatMap((tool) => jump(tool, `tools.${tool}`, was.tools?.[tool], is.tools?.[tool])),
  ];
}

function compareRoutes(
  documents: { before: Document; after: Document },
  old: DocumentModel,
  model: DocumentModel,
  path: string,
): DocumentWarning[] {
  if (!hasRoute(documents.before, old) || hasRoute(documents.after, model)) return [];
  const message = `${model.id} loses its last route: all its channels are switched off`;
  return [{ code: 'last_route_lost', path: `${path}.routes`, subject: model.id, message }];
}

function hasRoute({ channels }: Document, { routes }: DocumentModel): boolean {
  return routes.some((route) => channels.some(({ name, enabled }) => enabled && name === route.channel));
}

/** Both take effect within the hour and delete permanently, even if another document is applied next. */
function compareGuards({ guards: was }: Document, { guards: is }: Document): DocumentWarning[] {
  return [
    ...warnShortened(was.usage_months, is.usage_months, (before, after) => ({
      code: 'usage_shortened',
      path: 'guards.usage_months',
      subject: 'usage_months',
      message: `usage is kept for ${counted(after, 'month', 'months')} instead of ${before === null ? 'permanently' : counted(before, 'month', 'months')}: older usage is deleted permanently within the hour`,
    })),
    ...warnShortened(was.suspend_unused_days, is.suspend_unused_days, (before, after) => ({
      code: 'suspension_shortened',
      path: 'guards.suspend_unused_days',
      subject: 'suspend_unused_days',
      message: `unused keys are revoked after ${counted(after, 'day', 'days')} (before: ${before === null ? 'never' : counted(before, 'day', 'days')}), starting within the hour, in accounts that were never topped up`,
    })),
  ];
}

/** Null means unlimited. */
function warnShortened(
  before: number | null,
  after: number | null,
  warn: (before: number | null, after: number) => DocumentWarning,
): DocumentWarning[] {
  if (after === null || (before !== null && after >= before)) return [];
  return [{ ...warn(before, after), ...(before === null ? {} : { before: String(before) }), after: String(after) }];
}

function findRemoved(before: Document, after: Document, traffic: readonly TrafficDay[]): DocumentWarning[] {
  const requestsOf = (matches: (day: TrafficDay) => boolean) =>
    traffic.filter(matches).reduce((sum, { ok, failed }) => sum + ok + failed, 0);
  const models = before.models.flatMap(({ id }, index): DocumentWarning[] => {
    if (after.models.some((model) => model.id === id || model.aliases.includes(id))) return [];
    const requests = requestsOf(({ model }) => model === id);
    const message = `${id} is removed; it had ${counted(requests, 'request', 'requests')} in the last ${TRAFFIC_DAYS} days`;
    return [{ code: 'model_removed', path: `models[${index}]`, subject: id, message, requests }];
  });
  const channels = before.channels.flatMap(({ name }, index): DocumentWarning[] => {
    if (after.channels.some((channel) => channel.name === name)) return [];
    const requests = requestsOf(({ channel }) => channel === name);
    const isRouted = before.models.some(({ routes }) => routes.some((route) => route.channel === name));
    if (!isRouted && requests === 0) return [];
    const message = `${name} is removed; it had ${counted(requests, 'request', 'requests')} in the last ${TRAFFIC_DAYS} days`;
    return [{ code: 'channel_removed', path: `channels[${index}]`, subject: name, message, requests }];
  });
  return [...models, ...channels];
}
