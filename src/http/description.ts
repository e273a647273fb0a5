// A call of an API, described once: its route, its types, its checks and its part of the OpenAPI document come from here.
// The public API and the operator's describe their calls alike, and differ in how they refuse.

import type { z } from 'zod';
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
