// The issuer of statements and cards, and the tax included in all prices: one part of the catalog document.

import { z } from 'zod';
import { isTaxId } from '../kit/tax-id.ts';

const line = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line without control characters');

export const issuerShape = z
  .strictObject({
    name: line.nullable().default(null),
    tax_id: z
      .string()
      .refine(isTaxId, 'must be a tax id of 8 digits with a right check digit')
      .nullable()
      .default(null),
    address: line.nullable().default(null),
    phone: line.nullable().default(null),
    /** How customers get an invoice. */
    invoice_note: line.nullable().default(null),
    /** Percent; every price includes it. */
    tax: z
      .number()
      .int('must be a whole number')
      .min(0, 'must be from 0 to 100')
      .max(100, 'must be from 0 to 100')
      .default(5),
  })
  .prefault({});

export type Issuer = z.output<typeof issuerShape>;
