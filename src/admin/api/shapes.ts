// Shapes that several calls of the operator's API share.

import { z } from 'zod';
import { PRICE_NAMES } from '../../catalog/listed-prices.ts';
import { each } from '../../kit/shapes.ts';
import { hasControls } from '../actions/read-input.ts';

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
