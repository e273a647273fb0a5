// One call of the operator's API: what it takes, and what it does, described as calls of the public API are.

import { z } from 'zod';
import { describeIssue } from '../../catalog/fault-words.ts';
import { PRICE_NAMES } from '../../catalog/listed-prices.ts';
import { type Call, describeCall, type Method, type Params } from '../../http/description.ts';
import { JsonRefused, readJsonObject } from '../../kit/json/json.ts';
import { anyObject, each } from '../../kit/shapes.ts';
import { ACTORS } from '../../store/rows.ts';
import { hasControls } from '../actions/read-input.ts';
import { notFound } from '../actions/refused.ts';
import type { OperatingTools } from '../actions/tools.ts';
import { PortRefused } from '../port/refused.ts';
import type { OperatorExchange, OperatorRoute, OperatorTools } from '../port/tools.ts';
import { publicView } from './public-view.ts';

/** The actor in the log of actions. */
export const ACTOR = ACTORS.token;

const MAX_BYTES = 8 * 1024 * 1024;

interface AdminCall<Name extends AdminName, Query extends z.ZodObject, Body extends z.ZodObject> {
  id: string;
  summary: string;
  query?: Query;
  body?: Body;
  /** Status of a success; 200 if left out. */
  status?: number;
  /** The result can also be a CSV file: `run` then returns a response. */
  isAlsoCsv?: true;
  run(tools: OperatingTools, given: { params: Params<Name>; query: z.output<Query>; body: z.output<Body> }): unknown;
}

type AdminName = `${Method} /api/admin/${string}`;

/** A route with its description. */
export type AdminOperation = Call & OperatorRoute;

export function operation<
  Name extends AdminName,
  Query extends z.ZodObject = typeof NOTHING,
  Body extends z.ZodObject = typeof NOTHING,
>(
  name: Name,
  { run, query, body, status = 200, isAlsoCsv, ...description }: AdminCall<Name, Query, Body>,
): AdminOperation {
  return {
    ...describeCall(name, false, {
      ...description,
      tag: name.split('/')[3] ?? '',
      query,
      body,
      isBodyOptional: true,
      status,
      result: 'Done.',
      answer: anyObject,
      ...(isAlsoCsv ? { alsoAs: { 'text/csv': z.string() } } : {}),
    }),
    async handle(tools, exchange) {
      const given = {
        params: readParams(exchange) as Params<Name>,
        query: readWith<Query>(query, Object.fromEntries(new URL(exchange.request.url).searchParams)),
        body: readWith<Body>(body, body ? await readBody(tools, exchange) : {}),
      };
      const result = await run(tools.operating, given);
      return result instanceof Response ? result : Response.json(publicView(result), { status });
    },
  };
}

const NOTHING = z.object({});

function readWith<Shape extends z.ZodObject>(shape: Shape | undefined, value: unknown): z.output<Shape> {
  const read = (shape ?? NOTHING).safeParse(value, { error: describeIssue });
  // Without a shape there is no input.
  if (read.success) return read.data as z.output<Shape>;
  const faults = read.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const [first] = faults;
  const message = `${first?.path || 'The request'} is not valid: ${first?.message}.`;
  throw new PortRefused(400, 'invalid_request', message, { facts: { param: first?.path ?? null, faults } });
}

function readParams({ params }: OperatorExchange): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(params)) {
    if (hasControls(value)) throw notFound(`${name} with control characters`);
  }
  return params;
}

/** An empty body counts as an empty object: many calls need no input. */
async function readBody(tools: OperatorTools, { request }: OperatorExchange): Promise<unknown> {
  const text = await tools.readBody(request, MAX_BYTES);
  if (text.trim() === '') return {};
  try {
    return readJsonObject(text).value;
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw new PortRefused(400, 'invalid_request', 'The body is not a valid JSON object. Send a JSON object.', {
      facts: { param: error.member ?? null },
    });
  }
}

/** An amount of NT$, as JSON number or as exact text. */
export const amount = z.union([z.number(), z.string()], 'must be a number, or one as a text').transform(String);
export const text = z.string().refine((given) => !hasControls(given), 'must be without control characters');
export const flag = z.boolean().default(false);
const wholeNumber = z.coerce.number().int();

export const paged = (most = 200) =>
  z.object({ limit: wholeNumber.min(1).max(most).default(50), before: wholeNumber.min(1).optional() });

/** The revision that was edited, and that the operator has seen the warnings. */
export const applying = { base_revision: z.number().int().min(0), confirmed: flag };

const amounts = z.record(z.string(), amount);
const prices = z.strictObject({
  ...each(amount.nullish(), ...PRICE_NAMES),
  rules: z
    .strictObject({ tiers: z.array(amounts), service_tiers: amounts, tools: amounts })
    .partial()
    .optional()
    .describe('Replaces all tiers, service tiers or tools of the list; each is as in the document.'),
});

/** Omitted prices stay; `null` removes a price. */
export const priceEdit = z.strictObject({
  model: text,
  sale: z.union([z.literal('free'), prices], 'must be free, or a table of prices').optional(),
  cost: z.strictObject({ channel: text.optional(), prices: prices.nullable() }).optional(),
});
