// Warnings about a valid document that is probably not meant that way. It is applied nevertheless.

import { isHeaderText, secretText } from '../kit/header-text.ts';
import { isOwnKey } from '../kit/own-key.ts';
import { NOT_CARRIED, warnAddresses } from './check-new.ts';
import type { DocumentFault } from './check-references.ts';
import {
  DEFAULT_CONTEXT_TOKENS,
  type Document,
  type DocumentChannel,
  type DocumentModel,
  FREE_MODEL,
} from './document.ts';
import { CHARGED_PRICES, RARE_PRICES } from './listed-prices.ts';

/** At most this many are named in one line. */
const MODELS_NAMED = 5;

/** Resolves the references of a document. */
export interface SecretPlaces {
  variable(name: string): string | undefined;
  /** Undefined if it is not a file reference. */
  readFile(secret: string | undefined): { key?: string | undefined; problem?: string | undefined } | undefined;
  /** Opens the channel's sealed literal; missing where none is stored. */
  openSealed?(sealed: string, channel: string): string | undefined;
}

export function warnDocument({ channels, models }: Document, places: SecretPlaces): DocumentFault[] {
  const unset = channels.flatMap(({ name, api_key: secret }, index) => {
    const problem = secretProblem(secret, places) ?? sealedProblem(secret, name, places);
    const message = `${problem}: the upstream would be called without a key`;
    return problem === undefined ? [] : [{ path: `channels[${index}].api_key`, message }];
  });
  const warnings = [
    ...unset,
    ...warnAddresses(channels),
    ...warnContexts(models, channels),
    ...warnUncharged(models),
    ...models.flatMap(({ id, routes }, index) => warnRoutes(id, routes, `models[${index}]`)),
  ];
  if (models.some(({ id, aliases }) => id === FREE_MODEL || aliases.includes(FREE_MODEL))) return warnings;
  const message = `there is no model ${FREE_MODEL}, to which the docs point`;
  return [...warnings, { path: 'models', message }];
}

/** Undefined if the reference resolves to a key, or is none. */
export function secretProblem(secret: string | undefined, { variable, readFile }: SecretPlaces): string | undefined {
  if (secret === 'env:') return 'env: names no variable';
  if (secret === 'file:') return 'file: names no file';
  if (secret?.startsWith('env:')) {
    const name = secret.slice('env:'.length);
    const problem = problemWith(variable(name));
    return problem && `${name} ${problem}`;
  }
  const { key = '', problem } = readFile(secret) ?? {};
  if (problem !== undefined) return problem;
  return isHeaderText(secretText(key)) ? undefined : `${secret?.slice('file:'.length)} holds ${NOT_CARRIED}`;
}

/** New ones are refused; an old one may still be stored. */
function sealedProblem(secret: string | undefined, channel: string, { openSealed }: SecretPlaces): string | undefined {
  const key = secret === undefined ? undefined : openSealed?.(secret, channel);
  return isHeaderText(secretText(key ?? '')) ? undefined : `the stored key holds ${NOT_CARRIED}`;
}

/**
 * A hold never exceeds the context, so a longer prompt that the upstream accepts is a loss for the service. One line
 * for all models: hundreds of lines would hide the other warnings.
 */
function warnContexts(models: readonly DocumentModel[], channels: readonly DocumentChannel[]): DocumentFault[] {
  const real = new Set(channels.filter(({ kind }) => kind !== 'demo').map(({ name }) => name));
  const meant = models.filter((model) => lacksContext(model, real));
  const [first] = meant;
  if (!first) return [];
  const names = meant.slice(0, MODELS_NAMED).map(({ id }) => id);
  const more = meant.length - names.length;
  const who = names.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const message = `${who} ${meant.length === 1 ? 'says' : 'say'} no context_tokens, so ${DEFAULT_CONTEXT_TOKENS} count: longer prompts that the upstream takes would not be charged in full`;
  return [{ path: meant.length === 1 ? `models[${models.indexOf(first)}].context_tokens` : 'models', message }];
}

function lacksContext({ kinds, context_tokens: stated, price, routes }: DocumentModel, real: ReadonlySet<string>) {
  const isPaidChat = kinds.includes('chat') && price !== 'free';
  return stated === undefined && isPaidChat && routes.some(({ channel }) => real.has(channel));
}

function warnUncharged(models: readonly DocumentModel[]): DocumentFault[] {
  return models.flatMap(({ id, kinds, price }, index) => {
    const charged = new Set(kinds.flatMap((kind) => CHARGED_PRICES[kind]));
    const uncharged = RARE_PRICES.filter((name) => price !== 'free' && price[name] && !charged.has(name));
    return uncharged.map((name) => ({
      path: `models[${index}].price.${name}`,
      message: `${id} has a price for each ${name}, but no model of kind ${kinds.join(', ')} is charged by it`,
    }));
  });
}

/** A usage record names the model and the channel, not the route. */
function warnRoutes(id: string, routes: readonly { channel: string }[], path: string): DocumentFault[] {
  const channels = routes.map(({ channel }) => channel);
  return [...new Set(channels)].flatMap((name) => {
    if (channels.indexOf(name) === channels.lastIndexOf(name)) return [];
    const message = `${id} has several routes to ${name}: if their model or cost differs, its requests cannot be distinguished on a bill`;
    return [{ path: `${path}.routes`, message }];
  });
}

function problemWith(value: string | undefined): string | undefined {
  if (value === undefined) return 'is not set in this environment';
  if (isOwnKey(value)) return 'holds a key of this service';
  if (!isHeaderText(secretText(value))) return `holds ${NOT_CARRIED}`;
  return undefined;
}
