// Checks beyond the shape: names are unique, references resolve, free and paid do not mix. Reads the raw document and
// skips values of a wrong type, so that one pass lists the faults of both checks.

import { regionOf } from '../vendors/bedrock.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import { checkRetirement } from './check-retirement.ts';
import { FREE_MODEL } from './document.ts';
import type { PriceName } from './listed-prices.ts';
import { fieldsOf, listOf } from './loose-fields.ts';

export interface DocumentFault {
  path: string;
  message: string;
}

interface LooseChannel {
  name: unknown;
  kind: unknown;
  base_url: unknown;
  region: unknown;
}
interface LooseModel {
  id: unknown;
  aliases: unknown[];
  kinds: unknown[];
  price: unknown;
  routes: unknown[];
  fallbacks: unknown[];
  retires_at: unknown;
  replaced_by: unknown;
  on_retired: unknown;
}
interface LooseDocument {
  channels: LooseChannel[];
  models: LooseModel[];
}

export function checkReferences(raw: unknown): DocumentFault[] {
  const document = loosen(raw);
  return [
    ...checkChannels(document),
    ...checkIds(document),
    ...document.models.flatMap((model, index) => checkModel(document, model, `models[${index}]`)),
  ];
}

function loosen(raw: unknown): LooseDocument {
  const { channels, models } = fieldsOf(raw);
  return {
    channels: listOf(channels)
      .map(fieldsOf)
      .map(({ name, kind, base_url, region }) => ({ name, kind, base_url, region })),
    models: listOf(models)
      .map(fieldsOf)
      .map(({ id, price, aliases, kinds, routes, fallbacks, retires_at, replaced_by, on_retired }) => ({
        id,
        price,
        retires_at,
        replaced_by,
        on_retired,
        aliases: listOf(aliases),
        kinds: kinds === undefined ? ['chat'] : listOf(kinds),
        routes: listOf(routes),
        fallbacks: listOf(fallbacks),
      })),
  };
}

function checkChannels({ channels }: LooseDocument): DocumentFault[] {
  const faults: DocumentFault[] = [];
  const seen = new Set<unknown>();
  channels.forEach(({ name, kind, base_url, region }, index) => {
    const path = `channels[${index}]`;
    if (typeof name === 'string' && seen.has(name))
      faults.push({ path: `${path}.name`, message: `"${name}" is used twice` });
    seen.add(name);
    if (typeof kind === 'string' && kind !== 'demo' && base_url === undefined) {
      faults.push({ path: `${path}.base_url`, message: `a channel of kind ${kind} needs one` });
    }
    faults.push(...checkRegion(kind, base_url, region, path));
  });
  return faults;
}

/** A region belongs to Bedrock, which needs one: its own, or that of its host. */
function checkRegion(kind: unknown, baseUrl: unknown, region: unknown, path: string): DocumentFault[] {
  if (kind !== 'bedrock') {
    return region === undefined
      ? []
      : [{ path: `${path}.region`, message: 'only a channel of kind bedrock may have it' }];
  }
  const isKnown = region !== undefined || (typeof baseUrl === 'string' && regionOf({ kind, base_url: baseUrl }));
  return isKnown
    ? []
    : [{ path: `${path}.region`, message: 'name the region of AWS, such as us-east-1: the host does not say it' }];
}

function checkIds({ models }: LooseDocument): DocumentFault[] {
  const faults: DocumentFault[] = [];
  const seen = new Set<string>();
  models.forEach((model, index) => {
    const ids: [path: string, id: unknown][] = [
      [`models[${index}].id`, model.id],
      ...model.aliases.map((alias, at): [string, unknown] => [`models[${index}].aliases[${at}]`, alias]),
    ];
    for (const [path, id] of ids) {
      if (typeof id !== 'string') continue;
      if (seen.has(id)) faults.push({ path, message: `"${id}" already names a model` });
      seen.add(id);
    }
  });
  return faults;
}

function checkModel(document: LooseDocument, model: LooseModel, path: string): DocumentFault[] {
  const faults: DocumentFault[] = [];
  model.routes.forEach((route, index) => {
    const { channel } = fieldsOf(route);
    if (typeof channel === 'string' && !document.channels.some(({ name }) => name === channel)) {
      faults.push({ path: `${path}.routes[${index}].channel`, message: `there is no channel "${channel}"` });
    }
  });
  model.fallbacks.forEach((id, index) => {
    if (typeof id !== 'string') return;
    const fallback = document.models.find((other) => other.id === id);
    const at = `${path}.fallbacks[${index}]`;
    if (!fallback) faults.push({ path: at, message: `there is no model "${id}"` });
    else if (fallback === model) faults.push({ path: at, message: 'a model is not its own fallback' });
    else if (isFree(fallback) !== isFree(model)) {
      faults.push({ path: at, message: 'a free model falls back to free ones only, a paid one to paid ones only' });
    }
  });
  if (model.id === FREE_MODEL && !isFree(model)) {
    faults.push({ path: `${path}.price`, message: `${FREE_MODEL} is the free model: it must say "free"` });
  }
  return [...faults, ...checkPrice(model, `${path}.price`), ...checkRetirement(document.models, model, path)];
}

function checkPrice({ kinds, price }: LooseModel, path: string): DocumentFault[] {
  if (typeof price !== 'object' || price === null || Array.isArray(price)) return [];
  const has = (name: string) => fieldsOf(price)[name] !== undefined;
  const faults: DocumentFault[] = [];
  const need = (name: string, kind: string) => {
    if (!has(name)) faults.push({ path: `${path}.${name}`, message: `a model of kind ${kind} needs this price` });
  };
  if (kinds.includes('chat')) {
    need('input', 'chat');
    need('output', 'chat');
  } else if (kinds.includes('embeddings')) need('input', 'embeddings');
  for (const [kind, [first, ...others]] of ALTERNATIVES) {
    if (!kinds.includes(kind) || [[first], ...others].some((names) => names.every(has))) continue;
    const or = others.map((names) => `, or ${names.join(' and ')}`).join('');
    faults.push({ path: `${path}.${first}`, message: `a model of kind ${kind} needs this price${or}` });
  }
  return faults;
}

/** Kinds that are priced in one of several ways: the usual price, and the others. */
const ALTERNATIVES: readonly [kind: ModelKind, prices: [PriceName, ...PriceName[][]]][] = [
  ['images', ['image', ['input', 'output']]],
  ['speech', ['character', ['input', 'output']]],
  ['transcription', ['second', ['input', 'output']]],
  ['rerank', ['search', ['input']]],
  ['moderation', ['input']],
];

function isFree(model: LooseModel): boolean {
  return model.price === 'free';
}
