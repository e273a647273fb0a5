// A request of one dialect, as the gateway would send it to an endpoint of another.

import { type Carrier, SameDialectCarrier } from '../../src/dialects/carrier.ts';
import { carry } from '../../src/dialects/carry.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { readJsonObject } from '../../src/kit/json/json.ts';
import type { Endpoint } from '../../src/vendors/endpoints.ts';
import { quirksOf } from '../../src/vendors/quirks.ts';

const MODELS: Partial<Record<Endpoint, string>> = {
  chat: 'gpt-5-mini',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
  responses: 'gpt-5-mini',
};

export function carrierOf(dialect: Dialect, body: object, endpoint: Endpoint): Carrier {
  const request = dialect.request.read(readJsonObject(JSON.stringify({ model: 'm', max_tokens: 100, ...body })));
  const quirks = quirksOf('openai');
  if (endpoint === dialect.endpoint) return new SameDialectCarrier(dialect, request, { isFree: false });
  const to = { channel: { quirks }, endpoints: [endpoint], model: MODELS[endpoint] ?? '', prefill: false };
  return carry(dialect, request, to, { requestId: 'req_1', createdAt: 1, hashUser: (id) => id, isFree: false });
}

export function writeRequest(dialect: Dialect, body: object, endpoint: Endpoint): string {
  const fields = { model: 'x', maxOutputTokens: 100, thinkingBudget: undefined, limitField: 'max_tokens' } as const;
  const written = carrierOf(dialect, body, endpoint).writeRequest(fields);
  if (typeof written !== 'string') throw new Error('a form is no text');
  return written;
}

export const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));
