// Described calls as the paths and schemas of an OpenAPI document.

import { z } from 'zod';
import type { Call, Shapes } from './description.ts';

export type Schema = Readonly<Record<string, unknown>>;

interface WrittenCalls {
  paths: Record<string, Record<string, Schema>>;
  /** Schemas of the shapes that have an id. */
  schemas: Record<string, Schema>;
}

/** An answer, with its shapes by content type. */
export interface Response {
  description: string;
  headers?: readonly string[] | undefined;
  content?: Shapes | undefined;
}

/** `refusals` gives the other answers of a call, by status. */
export function writeCalls<One extends Call>(
  calls: readonly One[],
  refusals: (call: One) => Readonly<Record<string, Response>>,
): WrittenCalls {
  const written: WrittenCalls = { paths: {}, schemas: {} };
  for (const call of calls) {
    const path = pathTemplate(call.path);
    const operation = writeCall(call, refusals(call), written.schemas);
    written.paths[path] = { ...written.paths[path], [call.method.toLowerCase()]: operation };
  }
  // Removes undefined members.
  return JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** `/api/keys/:id` as OpenAPI writes it. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/\/:(\w+)/g, '/{$1}');
}

function writeCall(call: Call, refusals: Readonly<Record<string, Response>>, schemas: WrittenCalls['schemas']): Schema {
  const { id, tag, summary, description, deprecated, answerHeaders: headers, body, bodyAs = {}, example } = call;
  const parameters = parametersOf(call);
  const others = mapValues(call.others ?? {}, ({ result, answer }) => ({
    description: result,
    headers,
    content: answer && json(answer),
  }));
  const success = { description: call.result, headers, content: { ...answerOf(call), ...call.alsoAs } };
  const responses: Record<string, Response> = { [call.status]: success, ...others, ...refusals };
  const asJson = body && { 'application/json': { schema: writeSchema(body, schemas), example } };
  const content = { ...asJson, ...mapValues(bodyAs, (shape) => ({ schema: writeSchema(shape, schemas) })) };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    deprecated,
    security: call.isOpen ? [] : undefined,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: Object.keys(content).length > 0 ? { required: !call.isBodyOptional, content } : undefined,
    responses: mapValues(responses, (response) => writeResponse(response, schemas)),
  };
}

function answerOf({ answer, answerType }: Call): Shapes {
  return answerType === undefined ? json(answer) : { [answerType]: answer };
}

function writeResponse({ description, headers, content }: Response, schemas: WrittenCalls['schemas']): Schema {
  return {
    description,
    headers: headers && Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: content && mapValues(content, (shape) => ({ schema: writeSchema(shape, schemas) })),
  };
}

function parametersOf({ path, params, query, requestHeaders = {} }: Call): Schema[] {
  const names = [...path.matchAll(/\/:(\w+)/g)].map(([, name = '']) => name);
  return [
    ...parametersIn('path', Object.fromEntries(names.map((name) => [name, params?.[name] ?? z.string()]))),
    ...parametersIn('query', query?.shape ?? {}),
    ...parametersIn('header', z.object(requestHeaders).partial().shape),
  ];
}

function parametersIn(place: 'path' | 'query' | 'header', shapes: Shapes): Schema[] {
  const { properties = {}, required = [] } = toSchema(z.object(shapes));
  return Object.entries(properties).map(([name, given]) => {
    const { description, ...schema } = given as Schema;
    return { in: place, name, required: required.includes(name) || undefined, description, schema };
  });
}

/** A shape with an id becomes a reference to a schema of that name. */
function writeSchema(shape: z.ZodType, schemas: WrittenCalls['schemas']): Schema {
  const { properties, $defs = {} } = toSchema(z.object({ shape }));
  Object.assign(schemas, $defs);
  return (properties?.shape ?? {}) as Schema;
}

/** As a JSON Schema of its own. */
export function toSchema(shape: z.ZodType) {
  return z.toJSONSchema(shape, {
    io: 'input',
    override({ jsonSchema }) {
      // The largest integer of JavaScript is no useful maximum.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
}

export const json = (shape: z.ZodType): Shapes => ({ 'application/json': shape });

function mapValues<Value, Mapped>(values: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
