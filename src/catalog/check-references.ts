// Checks beyond the shape: names are unique, references resolve, free and paid do not mix, a successor can serve the calls of
// a retired model. Reads the raw document and skips values of a wrong type, so that one pass lists the faults of both checks.

import { regionOf } from '../vendors/bedrock.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import { FREE_MODEL } from './document.ts';
import type { PriceName } from './listed-prices.ts';
import { type Fields, fieldsOf, listOf } from './loose-fields.ts';

export interface DocumentFault {
  path: string;
  message: string;
}

type Faults = Generator<DocumentFault>;

export function checkReferences(raw: unknown): DocumentFault[] {
  const document = fieldsOf(raw);
  const channels = listOf(document.channels).map(fieldsOf);
  const models = listOf(document.models).map(fieldsOf);
  return [
    ...checkChannels(channels),
    ...checkIds(models),
    ...models.flatMap((model, index) => {
      const path = `models[${index}]`;
      return [
        ...checkModel(channels, models, model, path),
        ...checkPrice(model, `${path}.price`),
        ...checkRetirement(models, model, path),
      ];
    }),
  ];
}

function* checkChannels(channels: readonly Fields[]): Faults {
  const seen = new Set<unknown>();
  for (const [index, { name, kind, base_url: url, region }] of channels.entries()) {
    const path = `channels[${index}]`;
    if (typeof name === 'string' && seen.has(name)) yield { path: `${path}.name`, message: `"${name}" is used twice` };
    seen.add(name);
    if (typeof kind === 'string' && kind !== 'demo' && url === undefined) {
      yield { path: `${path}.base_url`, message: `a channel of kind ${kind} needs one` };
    }
    // A region belongs to Bedrock, which needs one: its own, or that of its host.
    if (kind !== 'bedrock' && region !== undefined) {
      yield { path: `${path}.region`, message: 'only a channel of kind bedrock may have it' };
    }
    const isNamed = region !== undefined || (typeof url === 'string' && regionOf({ kind: 'bedrock', base_url: url }));
    if (kind === 'bedrock' && !isNamed) {
      const message = 'name the region of AWS, such as us-east-1: the host does not say it';
      yield { path: `${path}.region`, message };
    }
  }
}

function* checkIds(models: readonly Fields[]): Faults {
  const seen = new Set<string>();
  for (const [index, { id: own, aliases }] of models.entries()) {
    const ids: [field: string, id: unknown][] = [
      ['id', own],
      ...listOf(aliases).map((alias, at): [string, unknown] => [`aliases[${at}]`, alias]),
    ];
    for (const [field, id] of ids) {
      if (typeof id !== 'string') continue;
      if (seen.has(id)) yield { path: `models[${index}].${field}`, message: `"${id}" already names a model` };
      seen.add(id);
    }
  }
}

function* checkModel(channels: readonly Fields[], models: readonly Fields[], model: Fields, path: string): Faults {
  for (const [index, route] of listOf(model.routes).entries()) {
    const { channel } = fieldsOf(route);
    if (typeof channel !== 'string' || channels.some(({ name }) => name === channel)) continue;
    yield { path: `${path}.routes[${index}].channel`, message: `there is no channel "${channel}"` };
  }
  for (const [index, id] of listOf(model.fallbacks).entries()) {
    if (typeof id !== 'string') continue;
    const fallback = models.find((other) => other.id === id);
    const at = `${path}.fallbacks[${index}]`;
    if (!fallback) yield { path: at, message: `there is no model "${id}"` };
    else if (fallback === model) yield { path: at, message: 'a model is not its own fallback' };
    else if (isFree(fallback) !== isFree(model)) {
      yield { path: at, message: 'a free model falls back to free ones only, a paid one to paid ones only' };
    }
  }
  if (model.id === FREE_MODEL && !isFree(model)) {
    yield { path: `${path}.price`, message: `${FREE_MODEL} is the free model: it must say "free"` };
  }
}

/** Kinds that are priced in one of several ways: the usual price, and the others. */
const ALTERNATIVES: readonly [kind: ModelKind, prices: [PriceName, ...PriceName[][]]][] = [
  ['images', ['image', ['input', 'output']]],
  ['speech', ['character', ['input', 'output']]],
  ['transcription', ['second', ['input', 'output']]],
  ['rerank', ['search', ['input']]],
  ['moderation', ['input']],
];

function* checkPrice(model: Fields, path: string): Faults {
  const { price } = model;
  if (typeof price !== 'object' || price === null || Array.isArray(price)) return;
  const kinds = kindsOf(model);
  const has = (name: string) => fieldsOf(price)[name] !== undefined;
  const missing = (kind: ModelKind, ...names: PriceName[]): DocumentFault[] =>
    names
      .filter((name) => !has(name))
      .map((name) => ({ path: `${path}.${name}`, message: `a model of kind ${kind} needs this price` }));
  if (kinds.includes('chat')) yield* missing('chat', 'input', 'output');
  else if (kinds.includes('embeddings')) yield* missing('embeddings', 'input');
  for (const [kind, [usual, ...others]] of ALTERNATIVES) {
    if (!kinds.includes(kind) || [[usual], ...others].some((names) => names.every(has))) continue;
    const or = others.map((names) => `, or ${names.join(' and ')}`).join('');
    yield { path: `${path}.${usual}`, message: `a model of kind ${kind} needs this price${or}` };
  }
}

function* checkRetirement(models: readonly Fields[], model: Fields, path: string): Faults {
  const fault = (field: string, message: string): DocumentFault => ({ path: `${path}.${field}`, message });
  const { id, retires_at: date, replaced_by: successor, on_retired: onRetired } = model;
  const isReplaced = onRetired === 'replace';
  if (id === FREE_MODEL && date !== undefined) {
    yield fault('retires_at', `${FREE_MODEL} cannot retire: registration and errors point to it`);
  }
  if (successor === undefined) {
    if (isReplaced) yield fault('on_retired', 'needs replaced_by, the model that serves its calls then');
    return;
  }
  if (date === undefined) yield fault('replaced_by', 'needs retires_at, the date from which it applies');
  if (typeof successor !== 'string') return;
  const next = models.find((other) => other.id === successor);
  if (!next) yield fault('replaced_by', `there is no model "${successor}"`);
  else if (next === model) yield fault('replaced_by', 'a model does not replace itself');
  else if (isInCircle(models, model)) yield fault('replaced_by', 'these models replace each other in a circle');
  else if (isReplaced) {
    if (isFree(next) !== isFree(model)) {
      yield fault('on_retired', 'a free model is replaced by a free one only, a paid one by a paid one only');
    }
    const missing = kindsOf(model).filter((kind) => !kindsOf(next).includes(kind));
    if (missing.length > 0) yield fault('on_retired', `"${successor}" does not serve ${missing.join(', ')}`);
  }
}

/** Whether its successors lead back to it. */
function isInCircle(models: readonly Fields[], model: Fields): boolean {
  let next: Fields | undefined = model;
  for (let steps = 0; next && steps < models.length; steps++) {
    const id: unknown = next.replaced_by;
    next = id === undefined ? undefined : models.find((other) => other.id === id);
    if (next === model) return true;
  }
  return false;
}

function kindsOf({ kinds }: Fields): unknown[] {
  return kinds === undefined ? ['chat'] : listOf(kinds);
}

function isFree({ price }: Fields): boolean {
  return price === 'free';
}
