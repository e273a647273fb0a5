// One call of the API as the OpenAPI document tells it, and the lists of faults that many calls share.

import type { FaultCode } from '../../faults/table.ts';
import type { Envelope } from '../../faults/write.ts';
import type { Schema } from './schema.ts';

export interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With `{id}` where the route has `:id`. */
  path: string;
  id: string;
  tag: 'models' | 'account' | 'public' | 'operation';
  summary: string;
  description?: string;
  /** Needs no key. */
  isOpen?: boolean;
  parameters?: readonly Schema[];
  body?: { schema: Schema; isOptional?: boolean; example?: unknown };
  /** Of a success, by status. */
  answers: Readonly<Record<number, Answer>>;
  faults: readonly FaultCode[];
  /** Of its faults; `either`: as the client's headers say. */
  envelope?: Envelope | 'either';
}

export interface Answer {
  description: string;
  /** By content type; none: no body. */
  content?: Readonly<Record<string, Schema>>;
  headers?: readonly string[];
}

export const OURS: readonly FaultCode[] = ['unavailable', 'internal_error'];
export const KEYED: readonly FaultCode[] = ['invalid_api_key', 'auth_rate_limited', ...OURS];
export const WITH_BODY: readonly FaultCode[] = ['invalid_request', 'request_timeout', 'request_too_large'];

export const json = (schema: Schema): Record<string, Schema> => ({ 'application/json': schema });

export function parameter(place: 'query' | 'header', name: string, description: string, schema: Schema): Schema {
  return { in: place, name, description, schema };
}

export const idParameter = (description: string, schema: Schema): Schema => ({
  in: 'path',
  name: 'id',
  required: true,
  description,
  schema,
});
