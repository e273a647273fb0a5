// An upstream's bill held against our own usage records, by model and by day or month. Our days are those of Taipei; at the
// ends of a day a bill of another zone differs by what was asked in those hours. Names and costs are those of the revision that
// admitted each request, so that a bill is judged as it would have been on its day.

import { NANO_PER_NTD, type Nano, parseNtd } from '../kit/money.ts';
import { DAY_MS, taipeiDay } from '../kit/taipei.ts';
import type { ChannelDay } from '../store/reads.ts';
import { record } from './audit-log.ts';
import { dayText } from './ledger.ts';
import { type Amounts, isPerImage, type PriceName, priceOf } from './listed-prices.ts';
import { readNewest } from './newest.ts';
import { type BillLine, readBill } from './read-bill.ts';
import { invalid, notFound } from './refused.ts';
import { type ServedDay, servedDays } from './served-days.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface BillSide {
  inputTokens: number;
  outputTokens: number;
  /** NT$ by the costs of the routes then on our side; as the bill says on the other. Null where a part is not known. */
  amount: Nano | null;
}

export interface OurSide extends BillSide {
  requests: number;
  revenue: Nano;
}

export interface BillRow {
  /** The model's name at the upstream; ours, where the bill names it so. */
  model: string;
  /** 2026-11-15 or 2026-11, as the bill counts. */
  period: string;
  bill: BillSide | undefined;
  ours: OurSide | undefined;
  /** Bill less ours; null where it cannot be compared. */
  difference: { [part in keyof BillSide]: BillSide[part] | null };
  /** Something can be compared, and nothing differs by more than a hundredth. */
  agrees: boolean;
}

export interface BillNote {
  code: /** Of a route, then. */
    | 'no_cost'
    /** On the bill. */
    | 'no_amount'
    /** Their tokens are not compared. */
    | 'per_image';
  /** As rows name them. */
  models: string[];
  message: string;
}

export interface Reconciled {
  channel: string;
  rows: BillRow[];
  totals: { bill: BillSide; ours: OurSide };
  /** What could not be counted or compared. */
  notes: BillNote[];
  /** Lines of the bill that were not read. */
  faults: { path: string; message: string }[];
}

const NO_BILL: BillSide = { inputTokens: 0, outputTokens: 0, amount: 0n };
const NOTHING: OurSide = { ...NO_BILL, requests: 0, revenue: 0n };

/** `rate`: NT$ for one unit of the bill's currency; 1 if left out. Refused: not_found, invalid. */
export async function reconcile(
  tools: OperatingTools,
  channel: string,
  csv: string,
  { rate = '1', actor }: { rate?: string | undefined; actor: Actor },
): Promise<Reconciled> {
  const { document } = await readNewest(tools);
  const factor = parseNtd(rate.trim());
  if (factor === undefined || factor <= 0n) throw invalid('rate', `must be a plain decimal number above 0: ${rate}`);
  const { lines, faults } = readBill(csv, factor);
  const days = await ourDays(tools, channel, lines);
  const hadNoUsage = lines.length > 0 && days.length === 0;
  if (hadNoUsage && !document.channels.some(({ name }) => name === channel)) throw notFound(`channel ${channel}`);
  const bill = sumBill(lines);
  const { ours, perImage } = sumOurs(days, lines);
  const keys = [...new Set([...bill.keys(), ...ours.keys()])].sort();
  const rows = keys.map((key) => compare(key, { bill: bill.get(key), ours: ours.get(key) }, !perImage.has(key)));
  await record(tools, actor, 'ledger.reconcile', channel, { lines: lines.length });
  return {
    channel,
    rows,
    totals: { bill: [...bill.values()].reduce(addBill, NO_BILL), ours: [...ours.values()].reduce(addOurs, NOTHING) },
    notes: notesOf(rows, perImage),
    faults,
  };
}

/** As long as traffic is kept. */
const TRAFFIC_DAYS = 90;

/** The channels of the catalog, then those that are gone and had traffic lately: their last bill is still to come. */
export async function billedChannels(tools: OperatingTools): Promise<{ name: string; isGone: boolean }[]> {
  const { document } = await readNewest(tools);
  const known = document.channels.map(({ name }) => name);
  const traffic = await tools.store.read.trafficDays(taipeiDay(tools.clock.now()) - TRAFFIC_DAYS);
  const gone = [...new Set(traffic.map(({ channel }) => channel))].filter((name) => !known.includes(name));
  return [...known.map((name) => ({ name, isGone: false })), ...gone.map((name) => ({ name, isGone: true }))];
}

/** From the first day of the bill to its last. */
function ourDays(tools: OperatingTools, channel: string, lines: readonly BillLine[]): Promise<ServedDay[]> {
  const periods = lines.map(({ period }) => period).sort();
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) return Promise.resolve([]);
  const dayOf = (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
  if (last.length === 10) return servedDays(tools, channel, dayOf(first), dayOf(last) + 1);
  const [year = 0, month = 0] = last.split('-').map(Number);
  return servedDays(tools, channel, dayOf(`${first}-01`), Date.UTC(year, month) / DAY_MS);
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

function sumOurs(days: readonly ServedDay[], lines: readonly BillLine[]) {
  const ours = new Map<string, OurSide>();
  const perImage = new Set<string>();
  const periodChars = lines[0]?.period.length ?? 10;
  const nameOf = billedNames(days, lines);
  for (const day of days) {
    const key = `${dayText(day.day).slice(0, periodChars)}\n${nameOf(day)}`;
    const own = ourSide(day);
    const known = ours.get(key);
    ours.set(key, known ? addOurs(known, own) : own);
    if (day.route?.isPerImage) perImage.add(key);
  }
  return { ours, perImage };
}

/** A bill may name a model as we do; also one that has another name at the upstream since. */
function billedNames(days: readonly ServedDay[], lines: readonly BillLine[]): (day: ServedDay) => string {
  const billed = new Set(lines.map(({ model }) => model));
  const upstreamName = ({ route, model }: ServedDay) => route?.upstreamModel ?? model;
  const ownName = (day: ServedDay) => (!billed.has(upstreamName(day)) && billed.has(day.model) ? day.model : undefined);
  const shared = new Map(days.map((day) => [upstreamName(day), ownName(day)] as const).filter(([, name]) => name));
  return (day) => ownName(day) ?? shared.get(upstreamName(day)) ?? upstreamName(day);
}

function ourSide(day: ServedDay): OurSide {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, requests, cost: revenue, route } = day;
  return {
    inputTokens: input + cachedInput + cacheWrite5m + cacheWrite1h,
    outputTokens: output,
    amount: costOf(day, route?.cost),
    requests,
    revenue,
  };
}

/** What was used without a noted cost is not known; but tokens cost nothing where only images are noted, and so the other way. */
function costOf(day: ChannelDay, noted: Amounts | undefined): Nano | null {
  if (!noted && day.images > 0) return null;
  const cost = noted ?? {};
  const used: readonly (readonly [number, PriceName])[] = [
    [day.input, 'input'],
    [day.cachedInput, 'cached_input'],
    [day.cacheWrite5m, 'cache_write_5m'],
    [day.cacheWrite1h, 'cache_write_1h'],
    [day.output, 'output'],
  ];
  let perMillion = 0n;
  for (const [tokens, name] of used) {
    const price = priceOf(cost, name) ?? (isPerImage(cost) ? 0n : undefined);
    if (tokens > 0 && price === undefined) return null;
    perMillion += BigInt(tokens) * (price ?? 0n);
  }
  return perMillion / 1_000_000n + BigInt(day.images) * (cost.image ?? 0n);
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

function compare(key: string, { bill, ours }: Pick<BillRow, 'bill' | 'ours'>, comparesTokens: boolean): BillRow {
  const [period = '', model = ''] = key.split('\n');
  const [theirs, own] = [bill ?? NO_BILL, ours ?? NOTHING];
  const difference = {
    inputTokens: comparesTokens ? theirs.inputTokens - own.inputTokens : null,
    outputTokens: comparesTokens ? theirs.outputTokens - own.outputTokens : null,
    amount: theirs.amount === null || own.amount === null ? null : theirs.amount - own.amount,
  };
  const compared = [
    isClose(difference.inputTokens, own.inputTokens),
    isClose(difference.outputTokens, own.outputTokens),
    isClose(ntd(difference.amount), ntd(own.amount)),
  ].filter((close) => close !== undefined);
  return { model, period, bill, ours, difference, agrees: compared.length > 0 && compared.every(Boolean) };
}

/** Only to compare: a hundredth is far above what a double loses. */
function ntd(nano: Nano | null): number | null {
  return nano === null ? null : Number(nano) / Number(NANO_PER_NTD);
}

function isClose(difference: number | null, of: number | null): boolean | undefined {
  return difference === null ? undefined : Math.abs(difference) * 100 <= Math.abs(of ?? 0);
}

function notesOf(rows: readonly BillRow[], perImage: ReadonlySet<string>): BillNote[] {
  const note = (code: BillNote['code'], isMeant: (row: BillRow) => boolean, say: (models: string) => string) => {
    const models = [...new Set(rows.filter(isMeant).map(({ model }) => model))];
    return models.length === 0 ? [] : [{ code, models, message: say(models.join(', ')) }];
  };
  return [
    ...note(
      'no_cost',
      ({ ours }) => ours?.amount === null,
      (models) => `no cost is noted for ${models}: neither it nor the sum is known`,
    ),
    ...note(
      'no_amount',
      ({ bill }) => bill?.amount === null,
      (models) => `the bill has no amount for ${models}: its sum is not known`,
    ),
    ...note(
      'per_image',
      ({ period, model }) => perImage.has(`${period}\n${model}`),
      (models) => `${models}: priced per image, so tokens are not compared`,
    ),
  ];
}
