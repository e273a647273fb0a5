// The models as the operator compares them: price, cost and lowest margin of each, and what it sold in the last 30 days.

import { PRICE_NAMES } from '../../catalog/listed-prices.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import type { ModelUse } from '../../store/reads.ts';
import { type PriceRow, priceTable, type RouteCost } from './prices.ts';
import type { OperatingTools } from './tools.ts';

const VOLUME_DAYS = 30;

export type ModelLine = ReturnType<typeof lineOf>;

export const MODEL_ORDERS = ['model', 'price', 'margin', 'volume'] as const;
export type ModelOrder = (typeof MODEL_ORDERS)[number];

interface ModelQuestion {
  /** A part of a name, an id or a channel. */
  search?: string | undefined;
  /** Without it: sold below cost first, then what sold most. */
  order?: ModelOrder | undefined;
  isReversed?: boolean;
}

const NO_USE = { requests: 0, accounts: 0, revenue: 0n };

/** How many models are sold below cost on a route in use. */
export async function countBelowCost(tools: OperatingTools): Promise<number> {
  const { rows } = await priceTable(tools);
  return rows.filter((row) => isBelowCost({ lowest: lowestMargin(routesInUse(row)) })).length;
}

export async function modelTable(tools: OperatingTools, question: ModelQuestion): Promise<ModelLine[]> {
  const { rows } = await priceTable(tools);
  const uses = await tools.store.read.useByModel(taipeiDay(tools.clock.now()) - VOLUME_DAYS + 1);
  const useOf = new Map(uses.map(({ model, ...use }) => [model, use]));
  const lines = rows
    .filter((row) => isFound(row, question.search ?? ''))
    .map((row) => lineOf(row, useOf.get(row.model)));
  return lines.sort(compareBy(question));
}

function lineOf(row: PriceRow, use: Omit<ModelUse, 'model'> = NO_USE) {
  const routes = routesInUse(row);
  return {
    row,
    /** The lowest margin of the routes in use; undefined if no cost is recorded, and for free models. */
    lowest: lowestMargin(routes),
    /** Channels of routes in use whose cost is not recorded, or not for every price that is sold. */
    costUnknown: routes.filter((route) => isCostUnknown(row, route)).map(({ channel }) => channel),
    use,
  };
}

export function isBelowCost({ lowest }: Pick<ModelLine, 'lowest'>): boolean {
  return lowest !== undefined && lowest.margin < 0;
}

function isFound({ model, name, routes }: PriceRow, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/);
  const text = [model, name, ...routes.map(({ channel }) => channel)].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** If every channel is off, all of them. */
function routesInUse({ routes }: PriceRow): readonly RouteCost[] {
  const enabled = routes.filter((route) => route.enabled);
  return enabled.length > 0 ? enabled : routes;
}

function lowestMargin(routes: readonly RouteCost[]) {
  const margins = routes.flatMap((route) =>
    PRICE_NAMES.flatMap((price) => {
      const margin = route.margin?.[price];
      return margin === undefined ? [] : [{ margin, price, route }];
    }),
  );
  return margins.sort((a, b) => a.margin - b.margin)[0];
}

function isCostUnknown({ sale }: PriceRow, { cost, margin }: RouteCost): boolean {
  if (cost === undefined || sale === 'free') return cost === undefined;
  return PRICE_NAMES.some((name) => sale[name] !== undefined && margin?.[name] === undefined);
}

type Compare = (a: ModelLine, b: ModelLine) => number;

const byModel: Compare = (a, b) => a.row.model.localeCompare(b.row.model, 'en');
const byVolume: Compare = (a, b) =>
  Number(b.use.revenue - a.use.revenue) || b.use.requests - a.use.requests || byModel(a, b);

/** The price of what each model mainly sells: input, or an image, and so on. */
function mainPrice({ row: { sale } }: ModelLine): number | undefined {
  if (sale === 'free') return 0;
  const price = sale.input ?? PRICE_NAMES.map((name) => sale[name]).find((one) => one !== undefined);
  return price === undefined ? undefined : Number(price);
}

const KEYS: Readonly<Record<'price' | 'margin', (line: ModelLine) => number | undefined>> = {
  price: (line) => negative(mainPrice(line)),
  margin: ({ lowest }) => lowest?.margin,
};

function negative(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value;
}

function compareBy({ order, isReversed = false }: ModelQuestion): Compare {
  const sign = isReversed ? -1 : 1;
  if (order === 'model') return (a, b) => sign * byModel(a, b);
  if (order === 'volume') return (a, b) => sign * byVolume(a, b);
  if (order !== undefined) return byKey(KEYS[order], sign);
  return (a, b) =>
    Number(isBelowCost(b)) - Number(isBelowCost(a)) ||
    (isBelowCost(a) && isBelowCost(b) ? byKey(KEYS.margin, 1)(a, b) : byVolume(a, b));
}

/** The lowest first; lines without the figure are last in both directions. */
function byKey(keyOf: (line: ModelLine) => number | undefined, sign: number): Compare {
  return (a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)];
    if (one === undefined || other === undefined) {
      return Number(one === undefined) - Number(other === undefined) || byVolume(a, b);
    }
    return sign * (one - other) || byVolume(a, b);
  };
}
