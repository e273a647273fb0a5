// The public API as one OpenAPI document, put together from the tables beside this file. A test compares it with the
// routes, with the table of faults and with real answers.

import packageJson from '../../../package.json' with { type: 'json' };
import { ACCOUNT_OPERATIONS } from './account-operations.ts';
import { ACCOUNT_SCHEMAS } from './account-schemas.ts';
import { FAULT_SCHEMAS, faultAnswers } from './fault-schemas.ts';
import { MODEL_OPERATIONS } from './model-operations.ts';
import { MODEL_SCHEMAS } from './model-schemas.ts';
import type { Answer, Operation } from './operation.ts';
import { type Schema, TEXT } from './schema.ts';

export interface OpenapiOptions {
  siteName: string;
  publicUrl: string;
}

export function openapiDocument({ siteName, publicUrl }: OpenapiOptions) {
  return {
    openapi: '3.1.0',
    info: {
      title: siteName,
      version: packageJson.version,
      summary: 'One key for many model providers, billed in NT$ from a prepaid wallet.',
      description: `Models in the OpenAI and the Anthropic format under /v1, the account under /api. Docs: ${publicUrl}/docs`,
    },
    servers: [{ url: publicUrl }],
    externalDocs: { url: `${publicUrl}/docs` },
    tags: [
      { name: 'models', description: 'Calls that reach a model, and the list of models.' },
      { name: 'account', description: 'Registration, keys, balance and usage.' },
      { name: 'public', description: 'For everyone, without a key.' },
      { name: 'operation', description: 'For load balancers.' },
    ],
    security: [{ bearer: [] }, { xApiKey: [] }],
    paths: pathsOf([...MODEL_OPERATIONS, ...ACCOUNT_OPERATIONS]),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A key: `Authorization: Bearer sk-svc-…`' },
        xApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key.' },
      },
      headers: HEADERS,
      schemas: { ...ACCOUNT_SCHEMAS, ...MODEL_SCHEMAS, ...FAULT_SCHEMAS },
    },
  };
}

function pathsOf(operations: readonly Operation[]): Record<string, Record<string, Schema>> {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    methods[operation.method] = describe(operation);
    paths[operation.path] = methods;
  }
  return paths;
}

function describe({ id, tag, summary, isOpen, answers, faults, envelope = 'openai', ...rest }: Operation): Schema {
  const { description, parameters, body } = rest;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isOpen ? { security: [] } : {}),
    ...(parameters ? { parameters } : {}),
    ...(body ? { requestBody: describeBody(body) } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)])),
      ...faultAnswers(faults, envelope),
    },
  };
}

function describeBody({ schema, isOptional = false, example }: NonNullable<Operation['body']>): Schema {
  return {
    required: !isOptional,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

function describeAnswer({ description, content, headers = [] }: Answer): Schema {
  return {
    description,
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content
      ? { content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])) }
      : {}),
  };
}

const header = (description: string, schema: Schema = TEXT): Schema => ({ description, schema });
const DECIMAL: Schema = { ...TEXT, pattern: '^[0-9]+(\\.[0-9]+)?$' };
const NUMERAL: Schema = { ...TEXT, pattern: '^[0-9]+$' };

const HEADERS: Readonly<Record<string, Schema>> = {
  'x-request-id': header('The request, as usage, receipts and logs name it.'),
  'request-id': header('The same as x-request-id.'),
  'x-svc-channel': header('The upstream channel that served; `gateway` where none was asked.'),
  'x-svc-cost-ntd': header('Whole answers: what it cost, in NT$.', DECIMAL),
  'x-svc-balance-ntd': header('Whole answers: the balance after it, in NT$.', DECIMAL),
  'x-svc-max-tokens': header(
    'The output bound, where it was lowered below the client’s own or, for one that named none, by the balance or the key’s budget.',
    NUMERAL,
  ),
  'x-svc-dropped': header('Settings that could not be carried to the upstream, by the client’s names.'),
  'x-svc-translated': header('What was said to the upstream in another way.'),
  'x-ratelimit-limit-requests': header('The limit with the fewest requests remaining.', NUMERAL),
  'x-ratelimit-remaining-requests': header('Requests remaining in it.', NUMERAL),
  'x-ratelimit-reset-requests': header('When its next slot opens, such as 12s.'),
  'anthropic-ratelimit-requests-limit': header('The same as x-ratelimit-limit-requests.', NUMERAL),
  'anthropic-ratelimit-requests-remaining': header('The same as x-ratelimit-remaining-requests.', NUMERAL),
  'anthropic-ratelimit-requests-reset': header('When its next slot opens, as a time.'),
  'retry-after': header('Seconds to wait; never above 55.', NUMERAL),
  'x-should-retry': header('Whether to repeat the call.', { ...TEXT, enum: ['true', 'false'] }),
  'idempotency-hit': header('The result of an earlier call with the same Idempotency-Key.', { const: 'true' }),
  etag: header('Changes with the answer.'),
};
