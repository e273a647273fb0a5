// The smallest instance of a JSON schema that the demo can think of: required members only, the first of several choices.
// Schemas come from clients, so the work is bounded; a schema without an instance within the bound gets an empty object.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { resolveReference } from '../../kit/json/resolve-reference.ts';
import { demoNumber, demoText } from './demo-values.ts';

const MAX_SCHEMAS = 2_000;

export function schemaInstance(schema: Json | undefined): Json {
  return schema === undefined ? {} : (new InstanceBuilder(schema).build(schema) ?? {});
}

class InstanceBuilder {
  readonly #root: Json;
  /** The schemas around the current one: a schema inside itself has no end. */
  readonly #around = new Set<JsonObject>();
  #left = MAX_SCHEMAS;

  constructor(root: Json) {
    this.#root = root;
  }

  /** Undefined if there is none. */
  build(schema: Json | undefined): Json | undefined {
    if (!isObject(schema)) return schema === false ? undefined : demoText({});
    if (this.#around.has(schema) || this.#left-- <= 0) return undefined;
    this.#around.add(schema);
    const instance = this.#instanceOf(schema);
    this.#around.delete(schema);
    return instance;
  }

  #instanceOf(schema: JsonObject): Json | undefined {
    const { $ref: reference, allOf, anyOf, oneOf, ...rest } = schema;
    if (typeof reference === 'string') return this.build(resolveReference(this.#root, reference));
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    if (Array.isArray(allOf)) {
      const joined = joinSchemas([...allOf.map((one) => this.#target(one)), rest]);
      return this.build({ ...joined, ...(anyOf && { anyOf }), ...(oneOf && { oneOf }) });
    }
    const choices = anyOf ?? oneOf;
    if (!Array.isArray(choices)) return this.#typed(schema);
    for (const choice of choices) {
      const found = this.build(isShape(rest) ? joinSchemas([rest, this.#target(choice)]) : choice);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #typed(schema: JsonObject): Json | undefined {
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'number':
      case 'integer':
        return demoNumber(schema);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return demoText(schema);
    }
  }

  #object({ properties, required, additionalProperties }: JsonObject): Json | undefined {
    const instance: JsonObject = {};
    for (const name of Array.isArray(required) ? required : []) {
      if (typeof name !== 'string') continue;
      const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      const value = this.build(own ?? additionalProperties ?? true);
      if (value === undefined) return undefined;
      Object.defineProperty(instance, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return instance;
  }

  #array({ prefixItems, items, minItems }: JsonObject): Json | undefined {
    const list: Json[] = [];
    const least = typeof minItems === 'number' ? minItems : 0;
    while (list.length < least) {
      const own = Array.isArray(prefixItems) ? prefixItems[list.length] : undefined;
      const value = this.build(own ?? items ?? true);
      // A schema that is `true` is not counted.
      if (value === undefined || this.#left-- <= 0) return undefined;
      list.push(value);
    }
    return list;
  }

  /** A reference to a reference is followed once only: the rest ends as a schema without an instance. */
  #target(schema: Json): Json {
    if (!isObject(schema) || typeof schema.$ref !== 'string') return schema;
    return resolveReference(this.#root, schema.$ref) ?? false;
  }
}

const SHAPE_KEYWORDS = ['type', 'properties', 'required', 'items', 'minItems', 'minLength', 'minimum'];

/** Whether it says more than a name and a description. */
function isShape(schema: JsonObject): boolean {
  return SHAPE_KEYWORDS.some((name) => schema[name] !== undefined);
}

/** One schema for all of them; of a keyword that several have, the last counts. */
function joinSchemas(schemas: readonly Json[]): JsonObject {
  const joined: JsonObject = {};
  for (const schema of schemas.filter(isObject)) {
    const properties = { ...objectAt(joined.properties), ...objectAt(schema.properties) };
    const required = [...listAt(joined.required), ...listAt(schema.required)];
    Object.assign(joined, schema, { properties, required });
  }
  return joined;
}

const objectAt = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const listAt = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Stated, or as its keywords imply. */
function typeOf(schema: JsonObject): Json | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? type[0];
  if (type !== undefined) return type;
  if (listAt(schema.required).length > 0 || schema.properties !== undefined) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  if (schema.minimum !== undefined || schema.exclusiveMinimum !== undefined) return 'number';
  return undefined;
}
