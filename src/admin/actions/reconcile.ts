// Compares an upstream's bill with our usage records, by model and by day or month. Our days are Taipei days, so a bill
// of another zone differs at the ends of a day. Names and costs are those of the revision that admitted each request,
// so a bill is compared with the prices of its day. A record names the channel and not the route: if a model has
// several routes to one channel, it is unknown which one served. Usage before the first kept day is unknown, too.

import { type Amounts, hasNoTokenPrice, priceOf } from '../../catalog/listed-prices.ts';
import { DAY_MS } from '../../kit/clock.ts';
import { NANO_PER_NTD, type Nano, parseNtd } from '../../kit/money.ts';
import { LISTED_UNITS } from '../../kit/prices.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import type { ChannelDay } from '../../store/reads.ts';
import { record } from './audit-log.ts';
import { dayText } from './ledger.ts';
import { readNewest } from './newest.ts';
import { type BillLine, readBill } from './read-bill.ts';
import { invalid, notFound } from './refused.ts';
import { type ServedDay, servedDays } from './served-days.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface BillSide {
  inputTokens: number;
  outputTokens: number;
  /** On our side NT$ by the routes' costs at that time; on the other as billed. Null if a part is unknown. */
  amount: Nano | null;
}

interface OurSide extends BillSide {
  requests: number;
  revenue: Nano;
}

export type BillRow = ReturnType<typeof compare>;

/** What could not be counted or compared, and for which models. */
const NOTES = {
  no_cost: (models: string) => `no cost is noted for ${models}: neither it nor the sum is known`,
  no_amount: (models: string) => `the bill has no amount for ${models}: its sum is not known`,
  per_image: (models: string) => `${models}: priced per image, so tokens are not compared`,
  price_rules: (models: string) => `${models}: the cost depends on each request, so amounts are not compared`,
  several_routes: (models: string) =>
    `${models}: a model has several routes to this channel, and its requests cannot be distinguished: their cost is unknown`,
  usage_not_kept: (models: string, keptFrom: string) =>
    `usage before ${keptFrom} is no longer kept: ${models} cannot be compared in periods that begin earlier`,
};

export type Reconciled = Awaited<ReturnType<typeof reconcile>>;

const NO_BILL: BillSide = { inputTokens: 0, outputTokens: 0, amount: 0n };
const NOTHING: OurSide = { ...NO_BILL, requests: 0, revenue: 0n };
const NOT_KNOWN = { inputTokens: null, outputTokens: null, amount: null, requests: null, revenue: null };

/** `rate`: NT$ per unit of the bill's currency, 1 by default. Refused: not_found, invalid. */
export async function reconcile(
  tools: OperatingTools,
  channel: string,
  csv: string,
  { rate = '1', actor }: { rate?: string | undefined; actor: Actor },
) {
  const { document } = await readNewest(tools);
  const factor = parseNtd(rate.trim());
  if (factor === undefined || factor <= 0n) throw invalid('rate', `must be a plain decimal number above 0: ${rate}`);
  const { lines, faults } = readBill(csv, factor);
  const days = await ourDays(tools, channel, lines);
  const keptDay = await tools.store.read.usageKeptFrom();
  const isKept = (key: string) => firstDayOf(key) >= keptDay;
  const hadNoUsage = lines.length > 0 && days.length === 0 && lines.every(({ period }) => isKept(period));
  if (hadNoUsage && !document.channels.some(({ name }) => name === channel)) throw notFound(`channel ${channel}`);
  const bill = sumBill(lines);
  const { ours, ...marks } = sumOurs(days, lines);
  const keys = [...new Set([...bill.keys(), ...[...ours.keys()].filter(isKept)])].sort();
  const rows = keys.map((key) =>
    compare(key, { bill: bill.get(key), ours: isKept(key) ? ours.get(key) : null }, marks),
  );
  const isAllKept = rows.every((row) => row.ours !== null);
  await record(tools, actor, 'ledger.reconcile', channel, { lines: lines.length });
  return {
    channel,
    rows,
    totals: {
      bill: [...bill.values()].reduce(addBill, NO_BILL),
      ours: isAllKept ? [...ours.values()].reduce(addOurs, NOTHING) : NOT_KNOWN,
    },
    /** Rows that could not be counted or compared. */
    notes: notesOf(rows, marks, dayText(keptDay)),
    /** Lines of the bill that could not be read. */
    faults,
  };
}

/** The last bill of an upstream comes within this time. */
const BILLED_DAYS = 90;

/** The catalog's channels, then removed ones with recent traffic, whose last bill is still to come. */
export async function billedChannels(tools: OperatingTools): Promise<{ name: string; isGone: boolean }[]> {
  const { document } = await readNewest(tools);
  const known = document.channels.map(({ name }) => name);
  const traffic = await tools.store.read.trafficDays(taipeiDay(tools.clock.now()) - BILLED_DAYS);
  const gone = [...new Set(traffic.map(({ channel }) => channel))].filter((name) => !known.includes(name));
  return [...known.map((name) => ({ name, isGone: false })), ...gone.map((name) => ({ name, isGone: true }))];
}

/** Our usage from the first day of the bill to its last. */
function ourDays(tools: OperatingTools, channel: string, lines: readonly BillLine[]): Promise<ServedDay[]> {
  const periods = lines.map(({ period }) => period).sort();
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) return Promise.resolve([]);
  if (last.length === 10) return servedDays(tools, channel, firstDayOf(first), firstDayOf(last) + 1);
  const [year = 0, month = 0] = last.split('-').map(Number);
  return servedDays(tools, channel, firstDayOf(first), Date.UTC(year, month) / DAY_MS);
}

/** The first day of a period, or of the period at the start of a key. */
function firstDayOf(text: string): number {
  const [period = ''] = text.split('\n');
  return Date.parse(`${period.length === 10 ? period : `${period}-01`}T00:00:00Z`) / DAY_MS;
}

function sumBill(lines: readonly BillLine[]): Map<string, BillSide> {
  const sums = new Map<string, BillSide>();
  for (const { model, period, ...side } of lines) {
    const key = `${period}\n${model}`;
    const known = sums.get(key);
    sums.set(key, known ? addBill(known, side) : side);
  }
  return sums;
}

/** Keys of rows with unknown parts: with several routes the cost, and mixed also the model that a request belongs to. */
type Marks = Omit<ReturnType<typeof sumOurs>, 'ours'>;

function sumOurs(days: readonly ServedDay[], lines: readonly BillLine[]) {
  const ours = new Map<string, OurSide>();
  const [perImage, priceRules] = [new Set<string>(), new Set<string>()];
  const [severalRoutes, mixed] = [new Set<string>(), new Set<string>()];
  const billed = new Set(lines.map(({ model }) => model));
  const periodChars = lines[0]?.period.length ?? 10;
  const nameOf = billedNames(days, lines);
  for (const day of days) {
    const [period, name] = [dayText(day.day).slice(0, periodChars), nameOf(day)];
    const key = `${period}\n${name}`;
    const side = ourSide(day);
    const known = ours.get(key);
    ours.set(key, known ? addOurs(known, side) : side);
    if (day.routes.some((route) => route.isPerImage)) perImage.add(key);
    if (day.routes.some((route) => route.hasRules)) priceRules.add(key);
    if (day.routes.length > 1) severalRoutes.add(key);
    const names = upstreamNames(day);
    // A bill with our model name covers all of them together.
    if (names.length <= 1 || (billed.has(name) && !names.some((upstreamName) => billed.has(upstreamName)))) continue;
    for (const model of [name, ...names]) mixed.add(`${period}\n${model}`);
  }
  return { ours, perImage, priceRules, severalRoutes, mixed };
}

function upstreamNames({ routes }: ServedDay): string[] {
  return [...new Set(routes.map(({ upstreamModel }) => upstreamModel))];
}

/** A bill may use our name of a model, also one that has since got another name at the upstream. */
function billedNames(days: readonly ServedDay[], lines: readonly BillLine[]): (day: ServedDay) => string {
  const billed = new Set(lines.map(({ model }) => model));
  const upstreamName = (day: ServedDay) => {
    const [name = day.model, another] = upstreamNames(day);
    return another === undefined ? name : day.model;
  };
  const ownName = (day: ServedDay) => (!billed.has(upstreamName(day)) && billed.has(day.model) ? day.model : undefined);
  const shared = new Map(days.map((day) => [upstreamName(day), ownName(day)] as const).filter(([, name]) => name));
  return (day) => ownName(day) ?? shared.get(upstreamName(day)) ?? upstreamName(day);
}

function ourSide(day: ServedDay): OurSide {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, requests, cost: revenue, routes } = day;
  const [route, another] = routes;
  return {
    inputTokens: input + cachedInput + cacheWrite5m + cacheWrite1h,
    outputTokens: output,
    amount: another || route?.hasRules ? null : upstreamCost(day, route?.cost),
    requests,
    revenue,
  };
}

/** Unknown without a cost; but tokens cost nothing if only other units have a cost, and vice versa. */
function upstreamCost(day: ChannelDay, noted: Amounts | undefined): Nano | null {
  const units = [
    [day.images, 'image'],
    [day.seconds, 'second'],
    [day.characters, 'character'],
    [day.searches, 'search'],
  ] as const;
  if (!noted && units.some(([quantity]) => quantity > 0)) return null;
  const cost = noted ?? {};
  const used = [
    [day.input, 'input'],
    [day.cachedInput, 'cached_input'],
    [day.cacheWrite5m, 'cache_write_5m'],
    [day.cacheWrite1h, 'cache_write_1h'],
    [day.output, 'output'],
  ] as const;
  let perMillion = 0n;
  for (const [tokens, name] of used) {
    const price = priceOf(cost, name) ?? (hasNoTokenPrice(cost) ? 0n : undefined);
    if (tokens > 0 && price === undefined) return null;
    perMillion += BigInt(tokens) * (price ?? 0n);
  }
  const others = units.map(([quantity, name]) => (BigInt(quantity) * (cost[name] ?? 0n)) / LISTED_UNITS[name]);
  return others.reduce((sum, amount) => sum + amount, perMillion / 1_000_000n);
}

function addBill(a: BillSide, b: BillSide): BillSide {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    amount: a.amount === null || b.amount === null ? null : a.amount + b.amount,
  };
}

function addOurs(a: OurSide, b: OurSide): OurSide {
  return { ...addBill(a, b), requests: a.requests + b.requests, revenue: a.revenue + b.revenue };
}

interface Sides {
  bill: BillSide | undefined;
  /** Null if usage of the period, or of a part of it, is no longer kept. */
  ours: OurSide | null | undefined;
}

function compare(key: string, { bill, ours }: Sides, marks: Marks) {
  const [period = '', model = ''] = key.split('\n');
  const [theirs, own] = [bill ?? NO_BILL, ours ?? NOTHING];
  const isMixed = marks.mixed.has(key);
  const isKnown = ours !== null && !isMixed;
  const comparesTokens = isKnown && !marks.perImage.has(key);
  const difference = {
    inputTokens: comparesTokens ? theirs.inputTokens - own.inputTokens : null,
    outputTokens: comparesTokens ? theirs.outputTokens - own.outputTokens : null,
    amount: !isKnown || theirs.amount === null || own.amount === null ? null : theirs.amount - own.amount,
  };
  const compared = [
    isClose(difference.inputTokens, own.inputTokens),
    isClose(difference.outputTokens, own.outputTokens),
    isClose(ntd(difference.amount), ntd(own.amount)),
  ].filter((close) => close !== undefined);
  return {
    /** The model's name at the upstream, or ours, if the bill uses it; and the period as in the bill. */
    model,
    period,
    bill,
    ours,
    /** May include requests of a model with several routes to the channel: nothing is compared. */
    isMixed,
    /** Bill minus ours; null if it cannot be compared. */
    difference,
    /** Something is comparable, and nothing of that differs by more than 1 %; the amount may not be comparable. */
    agrees: compared.length > 0 && compared.every(Boolean),
  };
}

/** For comparison only: 1 % is far above the error of a double. */
function ntd(nano: Nano | null): number | null {
  return nano === null ? null : Number(nano) / Number(NANO_PER_NTD);
}

function isClose(difference: number | null, of: number | null): boolean | undefined {
  return difference === null ? undefined : Math.abs(difference) * 100 <= Math.abs(of ?? 0);
}

/** `keptFrom`: the first kept day. */
function notesOf(rows: readonly BillRow[], marks: Marks, keptFrom: string) {
  const { perImage, priceRules, severalRoutes } = marks;
  const isOf = (keys: ReadonlySet<string>, { period, model }: BillRow) => keys.has(`${period}\n${model}`);
  const hasSeveral = (row: BillRow) => row.ours !== null && (row.isMixed || isOf(severalRoutes, row));
  const note = (code: keyof typeof NOTES, isMeant: (row: BillRow) => boolean) => {
    const models = [...new Set(rows.filter(isMeant).map(({ model }) => model))];
    const message = NOTES[code](models.join(', '), keptFrom);
    return models.length === 0 ? [] : [{ code, models, message, ...(code === 'usage_not_kept' && { keptFrom }) }];
  };
  return [
    ...note('no_cost', (row) => row.ours?.amount === null && !hasSeveral(row) && !isOf(priceRules, row)),
    ...note('no_amount', ({ bill }) => bill?.amount === null),
    ...note('per_image', (row) => isOf(perImage, row)),
    ...note('price_rules', (row) => row.ours !== null && isOf(priceRules, row)),
    ...note('several_routes', hasSeveral),
    ...note('usage_not_kept', ({ ours }) => ours === null),
  ];
}
