// The shape of a price list in the catalog document: what a model is sold for, or what a route costs, now or from a moment on.

import { z } from 'zod';
import { NANO_PER_NTD, parseNtd } from '../kit/money.ts';
import { leastInput, STANDARD_TIERS } from '../kit/prices.ts';
import { each } from '../kit/shapes.ts';
import { OFFSET_MS } from '../kit/taipei.ts';
import { PRICED_TOOLS } from '../vendors/tools.ts';
import { PRICE_NAMES } from './listed-prices.ts';

/** So that a token costs a whole number of nano-NT$. */
const PRICE_DECIMALS = 3;
/** A second of audio costs less than NT$0.001. */
const SECOND_DECIMALS = 6;
const MAX_PRICE_NTD = 1_000_000;
const FACTOR_DECIMALS = 3;
const ONE_FACTOR = 1_000n;
const MAX_FACTOR = 100n;
const MAX_TIERS = 10;
const MAX_CHANGES = 10;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const MUST_BE =
  'must be a date such as 2026-12-11, or a time with its offset from UTC such as 2026-12-11T09:00:00+08:00';

/** A date, which begins at midnight in Taipei, or a timestamp with its offset from UTC. */
export const moment = z.string(MUST_BE).transform((text, context): number => {
  const at = readMoment(text);
  if (at !== undefined) return at;
  context.addIssue(MUST_BE);
  return z.NEVER;
});

/** Undefined if it is not one. */
export function readMoment(text: string): number | undefined {
  const isDate = DATE.test(text);
  if (!isDate && !TIMESTAMP.test(text)) return undefined;
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Some days that do not exist, such as February 30, are read as days of the next month.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const at = isDate ? midnight - OFFSET_MS : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

const tokenCount = z.number().int('must be a whole number').min(1).max(1_000_000_000);

/** An amount of NT$; `mayBeZero` for costs. */
export const amount = (mayBeZero: boolean, decimals = PRICE_DECIMALS) =>
  z.union([z.number(), z.string()], { error: 'must be a decimal number of NT$' }).transform((value, context) => {
    const nano = parseNtd(String(value), decimals);
    if (nano === undefined) {
      context.addIssue(`must be a plain decimal with at most ${decimals} decimals`);
      return z.NEVER;
    }
    if (nano < 0n || (nano === 0n && !mayBeZero)) {
      context.addIssue(
        mayBeZero ? 'must not be below 0' : 'must be above 0; a model that costs nothing says "price: free"',
      );
      return z.NEVER;
    }
    if (nano > BigInt(MAX_PRICE_NTD) * 1_000_000_000n) {
      context.addIssue(`must not exceed NT$${MAX_PRICE_NTD}`);
      return z.NEVER;
    }
    return nano;
  });

/** Decimals of the price with this name. */
export function priceDecimals(name: string): number {
  return name === 'second' ? SECOND_DECIMALS : PRICE_DECIMALS;
}

const amounts = (mayBeZero: boolean) => ({
  ...each(amount(mayBeZero).optional(), ...PRICE_NAMES),
  second: amount(mayBeZero, priceDecimals('second')).optional(),
});

/** Prices of requests with a long input; those that are left out stay as they are. */
const inputTier = (mayBeZero: boolean) =>
  z
    .strictObject({
      above_input_tokens: tokenCount.optional(),
      from_input_tokens: tokenCount.optional(),
      ...amounts(mayBeZero),
    })
    .superRefine(({ above_input_tokens: above, from_input_tokens: from, ...prices }, context) => {
      if ((above === undefined) === (from === undefined)) {
        context.addIssue('needs either above_input_tokens or from_input_tokens');
      }
      if (Object.values(prices).every((price) => price === undefined)) context.addIssue('needs a price');
    });

const inputTiers = (mayBeZero: boolean) =>
  z
    .array(inputTier(mayBeZero))
    .max(MAX_TIERS)
    .superRefine((tiers, context) => {
      tiers.slice(1).forEach((tier, index) => {
        const before = tiers[index];
        if (!before || leastInput(beginningOf(tier)) > leastInput(beginningOf(before))) return;
        context.addIssue({
          code: 'custom',
          path: [index + 1],
          message: 'must begin at more input tokens than the tier before it',
        });
      });
    });

interface TierBounds {
  above_input_tokens?: number | undefined;
  from_input_tokens?: number | undefined;
}

export function beginningOf({ above_input_tokens: above = 0, from_input_tokens: from }: TierBounds) {
  return from === undefined ? { inputTokens: above, isInclusive: false } : { inputTokens: from, isInclusive: true };
}

/** In thousandths. */
const factor = z
  .union([z.number(), z.string()], { error: 'must be a decimal number' })
  .transform((value, context): bigint => {
    const thousandths = (parseNtd(String(value), FACTOR_DECIMALS) ?? 0n) / (NANO_PER_NTD / ONE_FACTOR);
    if (thousandths > 0n && thousandths <= MAX_FACTOR * ONE_FACTOR) return thousandths;
    context.addIssue(
      `must be a plain decimal above 0, at most ${MAX_FACTOR}, with at most ${FACTOR_DECIMALS} decimals`,
    );
    return z.NEVER;
  });

const TIER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** The vendor's name of a service tier, and the factor of its prices. */
const serviceTiers = z.record(z.string(), factor).superRefine((tiers, context) => {
  for (const name of Object.keys(tiers)) {
    const message = STANDARD_TIERS.has(name)
      ? 'is the standard tier, whose factor is 1: leave it out'
      : 'must have 1 to 32 characters, only a-z, 0-9, "_" and "-", and begin with a letter';
    if (STANDARD_TIERS.has(name) || !TIER_NAME.test(name)) {
      context.addIssue({ code: 'custom', path: [name], message });
    }
  }
});

/** NT$ for each call of a tool that the upstream runs. */
const toolFees = (mayBeZero: boolean) =>
  z.strictObject(each(amount(mayBeZero).optional(), ...PRICED_TOOLS), {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `is no tool with a price; there are ${PRICED_TOOLS.join(', ')}` : undefined,
  });

const listFields = (mayBeZero: boolean) => ({
  ...amounts(mayBeZero),
  tiers: inputTiers(mayBeZero).optional(),
  service_tiers: serviceTiers.optional(),
  tools: toolFees(mayBeZero).optional(),
});

export const priceTable = (mayBeZero: boolean) => z.strictObject(listFields(mayBeZero));

/** Changes at a moment; omitted fields stay as they are. */
const priceChange = z
  .strictObject({ effective_at: moment, ...listFields(false) })
  .superRefine(({ effective_at, ...changed }, context) => {
    if (Object.values(changed).every((value) => value === undefined)) context.addIssue('needs a price');
  });

const priceChanges = z
  .array(priceChange)
  .max(MAX_CHANGES)
  .superRefine((changes, context) => {
    changes.slice(1).forEach(({ effective_at: at }, index) => {
      if (at > (changes[index]?.effective_at ?? at - 1)) return;
      const message = 'must be later than that of the change before it';
      context.addIssue({ code: 'custom', path: [index + 1, 'effective_at'], message });
    });
  });

/** Sale prices of a model, now and later. */
export const salePrice = z.strictObject({ ...listFields(false), changes: priceChanges.optional() });
