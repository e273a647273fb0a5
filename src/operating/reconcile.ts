// An upstream's bill held against our own usage records, by model and by day or month. Our days are those of Taipei; at the
// ends of a day a bill of another zone differs by what was asked in those hours.

import type { Document } from '../catalog/document.ts';
import { NANO_PER_NTD, type Nano, parseNtd } from '../kit/money.ts';
import { DAY_MS } from '../kit/taipei.ts';
import type { ChannelDay } from '../store/reads.ts';
import { record } from './audit-log.ts';
import { dayText } from './ledger.ts';
import { readNewest } from './newest.ts';
import { type BillLine, readBill } from './read-bill.ts';
import { invalid, notFound } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface BillSide {
  inputTokens: number;
  outputTokens: number;
  /** NT$ by the costs of the routes on our side; as the bill says on the other. Null where nothing is known. */
  amount: Nano | null;
}

export interface OurSide extends BillSide {
  requests: number;
  revenue: Nano;
}

export interface BillRow {
  /** The model's name at the upstream. */
  model: string;
  /** 2026-11-15 or 2026-11, as the bill counts. */
  period: string;
  bill: BillSide | undefined;
  ours: OurSide | undefined;
  /** Bill less ours. */
  difference: BillSide;
  /** Nothing differs by more than a hundredth. */
  agrees: boolean;
}

export interface Reconciled {
  channel: string;
  rows: BillRow[];
  totals: { bill: BillSide; ours: OurSide };
  /** Lines of the bill that were not read. */
  faults: { path: string; message: string }[];
}

const NO_BILL: BillSide = { inputTokens: 0, outputTokens: 0, amount: null };
const NOTHING: OurSide = { ...NO_BILL, requests: 0, revenue: 0n };

/** `rate`: NT$ for one unit of the bill's currency; 1 if left out. Refused: not_found, invalid. */
export async function reconcile(
  tools: OperatingTools,
  channel: string,
  csv: string,
  { rate = '1', actor }: { rate?: string | undefined; actor: Actor },
): Promise<Reconciled> {
  const { document } = await readNewest(tools);
  if (!document.channels.some(({ name }) => name === channel)) throw notFound(`channel ${channel}`);
  const factor = parseNtd(rate.trim());
  if (factor === undefined || factor <= 0n) throw invalid('rate', `must be a plain decimal number above 0: ${rate}`);
  const { lines, faults } = readBill(csv, factor);
  const routes = routesTo(document, channel);
  const bill = sumBill(lines, routes);
  const ours = sumOurs(await ourDays(tools, channel, lines), routes, lines[0]?.period.length ?? 10);
  const keys = [...new Set([...bill.keys(), ...ours.keys()])].sort();
  const rows = keys.map((key) => compare(key, bill.get(key), ours.get(key)));
  await record(tools, actor, 'ledger.reconcile', channel, { lines: lines.length });
  return {
    channel,
    rows,
    totals: { bill: [...bill.values()].reduce(addBill, NO_BILL), ours: [...ours.values()].reduce(addOurs, NOTHING) },
    faults,
  };
}

interface RouteTo {
  publicModel: string;
  upstreamModel: string;
  cost: Document['models'][number]['routes'][number]['cost'];
}

function routesTo({ models }: Document, channel: string): RouteTo[] {
  return models.flatMap(({ id, routes }) =>
    routes
      .filter((route) => route.channel === channel)
      .map((route) => ({ publicModel: id, upstreamModel: route.model, cost: route.cost })),
  );
}

/** From the first day of the bill to its last. */
function ourDays({ store }: OperatingTools, channel: string, lines: readonly BillLine[]): Promise<ChannelDay[]> {
  const periods = lines.map(({ period }) => period).sort();
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) return Promise.resolve([]);
  const dayOf = (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
  if (last.length === 10) return store.read.channelDays(channel, dayOf(first), dayOf(last) + 1);
  const [year = 0, month = 0] = last.split('-').map(Number);
  return store.read.channelDays(channel, dayOf(`${first}-01`), Date.UTC(year, month) / DAY_MS);
}

/** A bill may name a model as we do. */
function sumBill(lines: readonly BillLine[], routes: readonly RouteTo[]): Map<string, BillSide> {
  const sums = new Map<string, BillSide>();
  for (const { model, period, ...side } of lines) {
    const upstreamModel = routes.find(({ publicModel }) => publicModel === model)?.upstreamModel ?? model;
    const key = `${period}\n${upstreamModel}`;
    const known = sums.get(key);
    sums.set(key, known ? addBill(known, side) : side);
  }
  return sums;
}

function sumOurs(days: readonly ChannelDay[], routes: readonly RouteTo[], periodChars: number): Map<string, OurSide> {
  const sums = new Map<string, OurSide>();
  for (const day of days) {
    const route = routes.find(({ publicModel }) => publicModel === day.model);
    const key = `${dayText(day.day).slice(0, periodChars)}\n${route?.upstreamModel ?? day.model}`;
    const own = ourSide(day, route);
    const known = sums.get(key);
    sums.set(key, known ? addOurs(known, own) : own);
  }
  return sums;
}

function ourSide(day: ChannelDay, route: RouteTo | undefined): OurSide {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, requests, cost: revenue } = day;
  return {
    inputTokens: input + cachedInput + cacheWrite5m + cacheWrite1h,
    outputTokens: output,
    amount: costOf(day, route?.cost),
    requests,
    revenue,
  };
}

/** What is not listed costs as input does, as with prices. */
function costOf(day: ChannelDay, cost: RouteTo['cost']): Nano | null {
  if (!cost) return null;
  const { input = 0n, output = 0n, image = 0n } = cost;
  const perMillion =
    BigInt(day.input) * input +
    BigInt(day.cachedInput) * (cost.cached_input ?? input) +
    BigInt(day.cacheWrite5m) * (cost.cache_write_5m ?? input) +
    BigInt(day.cacheWrite1h) * (cost.cache_write_1h ?? input) +
    BigInt(day.output) * output;
  return perMillion / 1_000_000n + BigInt(day.images) * image;
}

function addAmounts(a: Nano | null, b: Nano | null): Nano | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

function addBill(a: BillSide, b: BillSide): BillSide {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    amount: addAmounts(a.amount, b.amount),
  };
}

function addOurs(a: OurSide, b: OurSide): OurSide {
  return { ...addBill(a, b), requests: a.requests + b.requests, revenue: a.revenue + b.revenue };
}

function compare(key: string, bill: BillSide | undefined, ours: OurSide | undefined): BillRow {
  const [period = '', model = ''] = key.split('\n');
  const [theirs, own] = [bill ?? NO_BILL, ours ?? NOTHING];
  const isMoney = theirs.amount !== null && own.amount !== null;
  const difference = {
    inputTokens: theirs.inputTokens - own.inputTokens,
    outputTokens: theirs.outputTokens - own.outputTokens,
    amount: isMoney ? (theirs.amount ?? 0n) - (own.amount ?? 0n) : null,
  };
  const agrees =
    isClose(difference.inputTokens, own.inputTokens) &&
    isClose(difference.outputTokens, own.outputTokens) &&
    (difference.amount === null || isClose(ntd(difference.amount), ntd(own.amount ?? 0n)));
  return { model, period, bill, ours, difference, agrees };
}

/** Only to compare: a hundredth is far above what a double loses. */
function ntd(nano: Nano): number {
  return Number(nano) / Number(NANO_PER_NTD);
}

function isClose(difference: number, of: number): boolean {
  return Math.abs(difference) * 100 <= Math.abs(of);
}
