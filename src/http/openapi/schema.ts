// The few words of JSON Schema that the OpenAPI document is written with.

export type Schema = Readonly<Record<string, unknown>>;
export type Members = Readonly<Record<string, Schema>>;

export const TEXT: Schema = { type: 'string' };
export const FLAG: Schema = { type: 'boolean' };
export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const NUMBER: Schema = { type: 'number' };
export const TIME: Schema = { type: 'string', format: 'date-time' };
export const URL: Schema = { type: 'string', format: 'uri' };
/** Whatever the format of a vendor has there. */
export const ANYTHING: Schema = {};

export const oneWord = (...words: string[]): Schema => ({ type: 'string', enum: words });
export const idOf = (prefix: string): Schema => ({ type: 'string', pattern: `^${prefix}_[0-9a-z]+$` });
export const listOf = (items: Schema, rest: Schema = {}): Schema => ({ type: 'array', items, ...rest });
export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] });
export const told = (description: string, schema: Schema): Schema => ({ ...schema, description });

/** Every member is there. */
export function objectOf(properties: Members): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Only the members in `required` must be there. */
export function bodyOf(properties: Members, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** A body that takes no other members. */
export function closedBodyOf(properties: Members): Schema {
  return { ...bodyOf(properties), additionalProperties: false };
}

/** The pair of members for one amount. */
export function amount(name: string, description: string): Members {
  return {
    [`${name}_ntd`]: { ...NUMBER, description: `${description}, in NT$` },
    [`${name}_nano`]: { ...TEXT, pattern: '^-?[0-9]+$', description: 'the same in nano-NT$, exact' },
  };
}
