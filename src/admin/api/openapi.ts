// The operator's API as one OpenAPI document, from the same descriptions that read its calls.

import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import type { AdminOperation } from './operation.ts';
import { ADMIN_OPERATIONS } from './operations.ts';

type Schema = Record<string, unknown>;

export function openapiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Operator API',
      version: packageJson.version,
      summary: 'Channels, catalog, cards, accounts, ledger, alarms and incidents, on the operator’s port.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths: pathsOf(ADMIN_OPERATIONS),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The value of ADMIN_TOKEN.' } },
      schemas: { Refusal: REFUSAL },
    },
  };
}

const REFUSAL: Schema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code', 'request_id'],
      properties: {
        message: { type: 'string', description: 'The cause, then what to do.' },
        type: { type: 'string' },
        param: { type: ['string', 'null'], description: 'The field that is wrong.' },
        code: { type: 'string' },
        request_id: { type: 'string' },
      },
    },
  },
};

function pathsOf(operations: readonly AdminOperation[]): Record<string, Record<string, Schema>> {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return paths;
}

function describe({ path, id, summary, status, query, body }: AdminOperation): Schema {
  return {
    operationId: id,
    tags: [path.split('/')[3] ?? ''],
    summary,
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body ? { requestBody: { content: { 'application/json': { schema: schemaOf(body) } } } } : {}),
    responses: {
      [status]: { description: 'Done.', content: { 'application/json': { schema: { type: 'object' } } } },
      default: {
        description: 'Refused.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
  };
}

function pathParameters(path: string): Schema[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ in: 'path', name, required: true, schema: { type: 'string' } }));
}

function queryParameters(query: z.ZodObject | undefined): Schema[] {
  if (!query) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({
    in: 'query',
    name,
    required: required.includes(name),
    schema,
  }));
}

function schemaOf(body: z.ZodObject): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: 'input' });
  return schema;
}
