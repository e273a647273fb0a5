// The public API as one OpenAPI document, from the descriptions of its calls. A test compares it with real answers.

import packageJson from '../../package.json' with { type: 'json' };
import { type Catalog, exampleModel } from '../catalog/catalog.ts';
import { FREE_MODEL } from '../catalog/document.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import { ENCODINGS } from './decode-body.ts';
import { type ModelFor, type Schema, writeCalls } from './description.ts';
import { faultAnswers } from './fault-shapes.ts';
import type { HttpRoute } from './operation.ts';

interface OpenapiOptions {
  siteName: string;
  publicUrl: string;
}

export function openapiDocument(
  routes: readonly HttpRoute[],
  { siteName, publicUrl }: OpenapiOptions,
  catalog: Catalog,
) {
  const modelFor: ModelFor = (kind) => exampleModel(catalog, kind)?.id ?? WELL_KNOWN[kind];
  const calls = routes.map((route) => ({
    ...route,
    example: typeof route.example === 'function' ? route.example(modelFor) : route.example,
  }));
  const { paths, schemas } = writeCalls(calls, faultAnswers);
  return {
    openapi: '3.1.0',
    info: {
      title: siteName,
      version: packageJson.version,
      summary: 'One key for many model providers, billed in NT$ from a prepaid wallet.',
      description: `Models in the formats of OpenAI and Anthropic under /v1 and of Gemini under /v1beta, the account under /api. Request bodies may be compressed (content-encoding ${ENCODINGS.join(', ')}). Docs: ${publicUrl}/docs`,
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
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A key: `Authorization: Bearer sk-svc-…`' },
        xApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key.' },
      },
      headers: HEADERS,
      schemas,
    },
  };
}

/** For examples of calls that no model of this server serves. */
const WELL_KNOWN: Record<ModelKind, string> = {
  chat: FREE_MODEL,
  embeddings: 'text-embedding-3-small',
  images: 'gpt-image-1',
  speech: 'gpt-4o-mini-tts',
  transcription: 'gpt-4o-mini-transcribe',
  rerank: 'rerank-v3.5',
  moderation: 'omni-moderation-latest',
};

const TEXT: Schema = { type: 'string' };
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
  'x-svc-budget-warning': header(
    'A budget of the key or of a key above it that is used up by 80 % or more: `day; key=key_…; spent=0.8; held=0.05; limit=1`. On a stream `held` includes what is reserved for it; else its cost is in `spent`.',
  ),
  'x-svc-dropped': header('Settings that could not be carried to the upstream, by the client’s names.'),
  'x-svc-translated': header('What was said to the upstream in another way.'),
  'x-svc-model': header('The model that served in place of one that has retired.'),
  deprecation: header('Of a model with a date of retirement: since when it has one, such as `@1767225600` (RFC 9745).'),
  sunset: header('When the model retires, or retired, as an HTTP date (RFC 8594).'),
  link: header('The model to use instead, with `rel="successor-version"`.'),
  'x-ratelimit-limit-requests': header('The limit with the fewest requests remaining.', NUMERAL),
  'x-ratelimit-remaining-requests': header('Requests remaining in it.', NUMERAL),
  'x-ratelimit-reset-requests': header('When its next slot opens, such as 12s.'),
  'x-ratelimit-limit-tokens': header('Tokens per minute, where the key or a key above it has such a rate.', NUMERAL),
  'x-ratelimit-remaining-tokens': header('Tokens remaining in it.', NUMERAL),
  'x-ratelimit-reset-tokens': header('When the next of them are free, such as 12s.'),
  'anthropic-ratelimit-requests-limit': header('The same as x-ratelimit-limit-requests.', NUMERAL),
  'anthropic-ratelimit-requests-remaining': header('The same as x-ratelimit-remaining-requests.', NUMERAL),
  'anthropic-ratelimit-requests-reset': header('When its next slot opens, as a time.'),
  'anthropic-ratelimit-tokens-limit': header('The same as x-ratelimit-limit-tokens.', NUMERAL),
  'anthropic-ratelimit-tokens-remaining': header('The same as x-ratelimit-remaining-tokens.', NUMERAL),
  'anthropic-ratelimit-tokens-reset': header('When the next of them are free, as a time.'),
  'retry-after': header('Seconds to wait; never above 55.', NUMERAL),
  'x-should-retry': header('Whether to repeat the call.', { ...TEXT, enum: ['true', 'false'] }),
  'idempotency-hit': header('The result of an earlier call with the same Idempotency-Key.', { const: 'true' }),
  etag: header('Changes with the answer.'),
};
