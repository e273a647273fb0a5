// Shapes that several descriptions of calls share.

import { z } from 'zod';

export const text = z.string();
export const flag = z.boolean();
export const number = z.number();
export const count = z.int().min(0);
export const time = text.meta({ format: 'date-time' });
export const url = text.meta({ format: 'uri' });
/** An object with any members. */
export const anyObject = z.unknown().meta({ type: 'object' });
export const isList = z.literal('list');
/** Absent unless it is a demo. */
export const isDemo = z
  .literal(true)
  .optional()
  .describe(
    'Every channel of the model, on registration of `free_model`, is a demo: its answers are built in, and no model is called.',
  );

export const idOf = (prefix: string) => text.regex(new RegExp(`^${prefix}_[0-9a-z]+$`));

/** An object that a document of an API has under its own name. */
export function named<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id });
}

/** An object with required members, and optional ones. */
export function withOptional<Needed extends z.ZodRawShape, Rest extends z.ZodRawShape>(needed: Needed, rest: Rest) {
  return z.object(needed).extend(z.object(rest).partial().shape);
}

/** The pair of members for one amount. */
export function amount<Name extends string>(name: Name, description: string) {
  const pair = {
    [`${name}_ntd`]: number.describe(`${description}, in NT$`),
    [`${name}_nano`]: text.regex(/^-?[0-9]+$/).describe('the same in nano-NT$, exact'),
  };
  return pair as Record<`${Name}_ntd`, z.ZodNumber> & Record<`${Name}_nano`, z.ZodString>;
}

/** A deprecated member that is still sent; a newer name replaces it. */
export function older<Shape extends z.ZodType>(shape: Shape, newer: string): Shape {
  return shape.meta({ deprecated: true, description: `Another name of ${newer}.` });
}

/** The same of the pair for one amount. */
export function olderAmount<Name extends string>(name: Name, newer: string) {
  const { amount_ntd: ntd, amount_nano: nano } = amount('amount', '');
  const pair = { [`${name}_ntd`]: older(ntd, `${newer}_ntd`), [`${name}_nano`]: older(nano, `${newer}_nano`) };
  return pair as Record<`${Name}_ntd`, z.ZodNumber> & Record<`${Name}_nano`, z.ZodString>;
}

/** Members of one shape. */
export function each<Shape extends z.ZodType, Name extends string>(shape: Shape, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, shape])) as Record<Name, Shape>;
}
