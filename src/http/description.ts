// A call of an API, described once: its route, its types, its checks and its part of the OpenAPI document come from here.
// The public API and the operator's describe their calls alike, and differ in how they refuse.

import { z } from 'zod';
import type { ModelKind } from '../vendors/endpoints.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Such as `GET /api/keys/:id`. */
export type RouteName = `${Method} /${string}`;
export type Shapes = Readonly<Record<string, z.ZodType>>;

/** The id of a model of this kind that the server has. */
export type ModelFor = (kind: ModelKind) => string;

/** The values in a path for the names with a colon. */
export type Params<Name extends string> = Name extends `${string}:${infer Param}/${infer Rest}`
  ? Record<Param, string> & Params<Rest>
  : Name extends `${string}:${infer Param}`
    ? Record<Param, string>
    : unknown;

export interface Description {
  /** The operation's id. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  /** It will be removed: the changelog says when. */
  deprecated?: true;
  /** Shapes of the path's parameters; others are strings. */
  params?: Shapes | undefined;
  query?: z.ZodObject | undefined;
  requestHeaders?: Shapes | undefined;
  body?: z.ZodType | undefined;
  /** Other content types of the body. */
  bodyAs?: Shapes | undefined;
  /** An empty body counts as an empty object. */
  isBodyOptional?: boolean;
  /** A body that can be sent unchanged, or a function that makes it with the id of a model of this server. */
  example?: unknown;
  /** Status of a success; 200 if left out. */
  status?: number;
  /** Describes a successful answer. */
  result: string;
  answer: z.ZodType;
  /** Its content type; JSON if left out. */
  answerType?: string;
  /** Other content types of a successful answer. */
  alsoAs?: Shapes | undefined;
  answerHeaders?: readonly string[] | undefined;
  /** Answers with another status that are not errors. */
  others?: Readonly<Record<number, { result: string; answer?: z.ZodType }>>;
}

/** A description with its route. */
export interface Call<Name extends RouteName = RouteName> extends Description {
  name: Name;
  method: Method;
  path: string;
  status: number;
  /** Needs no key or token. */
  isOpen: boolean;
}

export function describeCall<Name extends RouteName>(
  name: Name,
  isOpen: boolean,
  description: Description,
): Call<Name> {
  const [method, path = ''] = name.split(' ');
  return { ...description, name, method: method as Method, path, status: description.status ?? 200, isOpen };
}

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

/** As a complete JSON Schema. */
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
