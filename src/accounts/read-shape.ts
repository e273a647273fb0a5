// Reads client input by its described shape. The first error is refused, in the words of the shape.

import { z } from 'zod';
import { type Fault, fault } from '../faults/fault.ts';
import { fieldName } from '../kit/json/field-name.ts';

export function readShape<Shape extends z.ZodObject>(shape: Shape, value: unknown): z.output<Shape> {
  const read = shape.safeParse(value, { error: ({ path = [] }) => `${paramOf(path)} is not valid.` });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    if (issue.path.length === 0) throw unknownField(issue.keys[0], shape);
    const param = [paramOf(issue.path), fieldName(issue.keys[0])].filter((part) => part !== undefined).join('.');
    throw fault('invalid_request', { param, message: issue.message });
  }
  throw fault('invalid_request', { param: paramOf(issue?.path ?? []), message: issue?.message });
}

/** The query of a request: the first of each name, without those that are empty. */
export function readQuery<Shape extends z.ZodObject>(shape: Shape, params: URLSearchParams): z.output<Shape> {
  const given = [...params].reverse().filter(([name]) => params.get(name) !== '');
  return readShape(shape, Object.fromEntries(given));
}

/** Refuses unknown fields: a misspelt restriction would otherwise be missing without an error. */
export function unknownField(name: string | undefined, { shape }: z.ZodObject): Fault {
  const known = Object.keys(shape);
  const names = known.length > 1 ? `${known.slice(0, -1).join(', ')} and ${known.at(-1)}` : known[0];
  const message = `The body has an unknown field. Known fields: ${names}.`;
  return fault('invalid_request', { param: fieldName(name), message });
}

/** Such as `models[2]`. */
function paramOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('');
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const LIMIT = `limit must be a whole number from 1 to ${MAX_LIMIT}.`;

/** The parameter `limit` of lists. */
export function pageLimit(what: string) {
  return z.coerce
    .number(LIMIT)
    .min(1, LIMIT)
    .refine(Number.isInteger, LIMIT)
    .default(DEFAULT_LIMIT)
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .meta({ type: 'integer', description: `${what} in a page; more than ${MAX_LIMIT} are not given.` });
}
