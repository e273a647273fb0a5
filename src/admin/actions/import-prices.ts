// Converts an upstream's price list, in US$ for the units of our list, into edits of our prices in NT$. No floats, so that nothing
// is rounded by accident.

import type { Document, DocumentModel } from '../../catalog/document.ts';
import { type Amounts, hasRules, PRICE_NAMES } from '../../catalog/listed-prices.ts';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';
import { priceDecimals } from '../../catalog/price-shape.ts';
import { parseNtd } from '../../kit/money.ts';
import { readNewest } from './newest.ts';
import { type PriceEdit, type PriceList, RULE_NAMES, toPriceList } from './prices.ts';
import { readCsv } from './read-table.ts';
import { invalid, notFound } from './refused.ts';
import type { StoreTools } from './tools.ts';
import { type Conversion, type ConvertAmount, convertPrice, convertRules, readConversion } from './usd-prices.ts';

export interface ImportOptions {
  /** NT$ for one US$, as a decimal text. */
  rate: string;
  /** Mark-up in percent, as a decimal text: `20` sells at 1.2 times the cost. */
  markup: string;
  /**
   * Also set the list prices, without the mark-up, as the cost of every route of the model, or of those to `channel`.
   */
  setCost: boolean;
  channel?: string | undefined;
}

export interface ImportedPrices {
  revision: number;
  edits: PriceEdit[];
  /** `after` has the changed sale prices; a cost of 0 appears only in `cost`. */
  rows: ImportedRow[];
  /** Listed, but not in the catalog. */
  unknown: string[];
  /** By CSV line or JSON index. */
  faults: { path: string; message: string }[];
  /** Entries with less effect than expected. */
  notes: ImportNote[];
}

interface ImportedRow {
  model: string;
  before: 'free' | PriceList;
  after: PriceList;
  cost: PriceList;
  /** Current costs of the routes that have one; empty if costs are not imported. */
  costsBefore: { channel: string; cost: PriceList | undefined }[];
}

const NOTES = {
  zero: '0 cannot be a sale price: the price stays',
  zero_cost_noted: '0 cannot be a sale price: the cost is noted, the price stays',
  no_price: `has none of the prices ${PRICE_NAMES.join(', ')}: nothing changes`,
  // A misspelt price must not be ignored.
  unknown_column: `is not read; prices are ${PRICE_NAMES.join(', ')}`,
  rules_kept: 'has tiers or tools in its price or cost, which stay as they are: edit them in the document',
};

interface ImportNote {
  /** As in faults. */
  path: string;
  code: keyof typeof NOTES;
  message: string;
}

const noteOf = (path: string, code: ImportNote['code']): ImportNote => ({ path, code, message: NOTES[code] });

const MODEL_COLUMNS = ['model', 'model_id', 'id'];
const KNOWN_COLUMNS: ReadonlySet<string> = new Set([...MODEL_COLUMNS, ...PRICE_NAMES]);

interface ListedModel {
  path: string;
  model: string;
  /** In US$, as written. */
  prices: Readonly<Record<string, string>>;
  /** From JSON: the entry itself, which may have tiers and tools. */
  entry: Fields;
}

const IS_RULE: ReadonlySet<string> = new Set(RULE_NAMES);

const MAX_CHARS = 4_000_000;

/**
 * Reads CSV (with a header) or JSON (a list, or an object by model); changes nothing. Refused: invalid, not_found for a
 * channel.
 */
export async function importPrices(tools: StoreTools, text: string, options: ImportOptions): Promise<ImportedPrices> {
  const conversion = readConversion(options.rate, options.markup);
  if (text.length > MAX_CHARS) throw invalid('text', `is longer than ${MAX_CHARS} characters`);
  const { revision, document } = await readNewest(tools);
  const { channel } = options;
  if (channel !== undefined && !document.channels.some(({ name }) => name === channel)) {
    throw notFound(`channel ${channel}`);
  }
  const list = readList(text);
  const find = modelFinder(document, list, channel);
  const seen = new Set<string>();
  const found = list.map((listed): Found => {
    const model = find(listed.model);
    if (!model) return { unknown: [listed.model] };
    if (seen.has(model.id)) return refused(listed, `${model.id} is in the list already: name it once`);
    seen.add(model.id);
    return importModel(listed, model, conversion, options);
  });
  return {
    revision: revision.revision,
    edits: found.flatMap(({ edits = [] }) => edits),
    rows: found.flatMap(({ rows = [] }) => rows),
    unknown: found.flatMap(({ unknown = [] }) => unknown),
    faults: found.flatMap(({ faults = [] }) => faults),
    notes: [...unknownColumns(list), ...found.flatMap(({ notes = [] }) => notes)],
  };
}

/** The result of one line or list element. */
type Found = Partial<Omit<ImportedPrices, 'revision'>>;

function refused({ path }: ListedModel, message: string): Found {
  return { faults: [{ path: `${path}.model`, message }] };
}

function importModel(listed: ListedModel, model: DocumentModel, conversion: Conversion, options: ImportOptions): Found {
  const { setCost, channel } = options;
  if (setCost && channel !== undefined && !model.routes.some((route) => route.channel === channel)) {
    return refused(listed, `${model.id} has no route to ${channel}`);
  }
  const { cost, sale, rules, faults } = convert(listed, conversion);
  if (faults.length > 0) return { faults };
  const notes = notesOf(listed.path, { cost, sale }, setCost);
  const edit: PriceEdit = {
    model: model.id,
    sale: isEmpty(sale) ? undefined : { ...sale, rules: rules?.sale },
    cost: setCost && !isEmpty(cost) ? { prices: { ...cost, rules: rules?.cost }, channel } : undefined,
  };
  if (!edit.sale && !edit.cost) return { notes };
  const before = model.price === 'free' ? 'free' : toPriceList(model.price);
  const kept = !rules && listsOf(model).some(hasRules) ? [noteOf(listed.path, 'rules_kept')] : [];
  const costsBefore = edit.cost ? routeCosts(model, channel) : [];
  const row = { model: model.id, before, after: sale, cost, costsBefore } as const;
  return { edits: [edit], rows: [row], notes: [...notes, ...kept] };
}

function routeCosts({ routes }: DocumentModel, channel: string | undefined): ImportedRow['costsBefore'] {
  const set = routes.filter((route) => channel === undefined || route.channel === channel);
  return set.map((route) => ({ channel: route.channel, cost: route.cost && toPriceList(route.cost) }));
}

function listsOf({ price, routes }: DocumentModel): Amounts[] {
  return [...(price === 'free' ? [] : [price]), ...routes.flatMap(({ cost }) => cost ?? [])];
}

/**
 * Finds models by our names; in a channel's list also by the upstream's name, if it belongs to one model that the list
 * does not have under our name, too: providers list plain and dated names side by side.
 */
function modelFinder({ models }: Document, list: readonly ListedModel[], channel: string | undefined) {
  const ownName = (name: string) => models.find(({ id, aliases }) => id === name || aliases.includes(name));
  const named = new Set(list.map(({ model }) => ownName(model)?.id));
  return (name: string): DocumentModel | undefined => {
    const model = ownName(name);
    if (model || channel === undefined) return model;
    const [routed, ...others] = models.filter(({ routes }) =>
      routes.some((route) => route.channel === channel && route.model === name),
    );
    return others.length === 0 && !named.has(routed?.id) ? routed : undefined;
  };
}

/** Each once, at the first line with a value. */
function unknownColumns(list: readonly ListedModel[]): ImportNote[] {
  const places = new Map<string, string>();
  for (const { path, prices } of list) {
    for (const [name, value] of Object.entries(prices)) {
      if (value !== '' && !KNOWN_COLUMNS.has(name) && !places.has(name)) places.set(name, `${path}.${name}`);
    }
  }
  return [...places.values()].map((path) => noteOf(path, 'unknown_column'));
}

function convert({ path, prices, entry }: ListedModel, conversion: Conversion) {
  const cost: PriceList = {};
  const sale: PriceList = {};
  const faults: ImportedPrices['faults'] = [];
  const convertAmount: ConvertAmount = (at, text, decimals) => {
    const usd = parseNtd(text);
    if (usd === undefined || usd < 0n) {
      faults.push({ path: at, message: `must be a plain decimal number of US$: ${text}` });
      return undefined;
    }
    return convertPrice(usd, decimals, conversion);
  };
  for (const name of PRICE_NAMES) {
    const text = prices[name] ?? '';
    const amount = text === '' ? undefined : convertAmount(`${path}.${name}`, text, priceDecimals(name));
    if (!amount) continue;
    cost[name] = amount.cost;
    if (amount.sale !== '0') sale[name] = amount.sale;
  }
  return { cost, sale, rules: convertRules(path, entry, convertAmount), faults };
}

function isEmpty(list: PriceList): boolean {
  return Object.keys(list).length === 0;
}

function notesOf(path: string, lists: { cost: PriceList; sale: PriceList }, isCostNoted: boolean): ImportNote[] {
  const { cost, sale } = lists;
  if (isEmpty(cost)) return [noteOf(path, 'no_price')];
  const zeros = PRICE_NAMES.filter((name) => cost[name] !== undefined && sale[name] === undefined);
  return zeros.map((name) => noteOf(`${path}.${name}`, isCostNoted ? 'zero_cost_noted' : 'zero'));
}

function readList(text: string): ListedModel[] {
  return /^\s*[[{]/.test(text) ? readJsonList(text) : readCsvList(text);
}

function readCsvList(text: string): ListedModel[] {
  const table = readCsv(text);
  if (!table) throw invalid('text', 'is not valid CSV: a quote is not closed, or there are too many lines');
  const column = MODEL_COLUMNS.find((name) => table.columns.includes(name));
  if (column === undefined) throw invalid('text', 'needs a header with a column "model"');
  return table.rows.map(({ line, cells }) => ({
    path: `line ${line}`,
    model: cells[column] ?? '',
    prices: cells,
    entry: {},
  }));
}

function readJsonList(text: string): ListedModel[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid('text', 'is not valid JSON');
  }
  const read = (path: string, entry: unknown, model?: string): ListedModel => {
    const fields = fieldsOf(entry);
    return { path, model: model ?? String(fields.model ?? fields.id ?? ''), prices: texts(fields), entry: fields };
  };
  if (Array.isArray(parsed)) return listOf(parsed).map((entry, index) => read(`[${index}]`, entry));
  return Object.entries(fieldsOf(parsed)).map(([model, entry]) => read(model, entry, model));
}

function texts(fields: Fields): Record<string, string> {
  const known = Object.entries(fields).filter(([name, value]) => (value ?? null) !== null && !IS_RULE.has(name));
  return Object.fromEntries(known.map(([name, value]) => [name, String(value).trim()]));
}

export type ImportedChanges = ReturnType<typeof importedChanges>;
export type ChangeList = ReturnType<typeof compare>;
export type PriceChange = ChangeList['changes'][number];

/** Of costs by channel: empty if they are not imported. */
export function importedChanges({ rows }: Pick<ImportedPrices, 'rows'>) {
  const channels = [...new Set(rows.flatMap(({ costsBefore }) => costsBefore.map(({ channel }) => channel)))];
  const costsOn = (channel: string) =>
    rows.flatMap(({ model, cost, costsBefore }) =>
      costsBefore.filter((route) => route.channel === channel).map((route) => compare(model, route.cost ?? {}, cost)),
    );
  const sale = rows.map(({ model, before, after }) => compare(model, before === 'free' ? {} : before, after));
  return { sale: joined(sale), costs: new Map(channels.map((channel) => [channel, joined(costsOn(channel))])) };
}

function compare(model: string, before: PriceList, after: PriceList) {
  const listed = PRICE_NAMES.flatMap((price) => {
    const value = after[price];
    return value === undefined ? [] : [{ model, price, before: before[price], after: value }];
  });
  const changes = listed.filter((one) => one.before === undefined || Number(one.before) !== Number(one.after));
  return {
    changes: changes.map((one) => ({ ...one, change: shareOf(one.before, one.after) })),
    /** How many prices of the list are as they were. */
    unchanged: listed.length - changes.length,
  };
}

function joined(lists: readonly ChangeList[]): ChangeList {
  return {
    changes: lists.flatMap(({ changes }) => changes),
    unchanged: lists.reduce((sum, { unchanged }) => sum + unchanged, 0),
  };
}

/** For reading only: doubles are exact enough. */
function shareOf(before: string | undefined, after: string): number | undefined {
  const was = Number(before ?? 0);
  return was === 0 ? undefined : (Number(after) - was) / was;
}
