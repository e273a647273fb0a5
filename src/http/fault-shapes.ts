// The error envelopes, and the OpenAPI answers of a list of fault codes, from the table of faults.

import { z } from 'zod';
import { describedText, FAULT_CODES, type FaultCode, faultRow } from '../faults/table.ts';
import { anyObject, count, each, idOf, named, number, text, time, url, withOptional } from '../kit/shapes.ts';
import { json, type Response } from './description.ts';
import type { HttpRoute } from './operation.ts';

const code = z
  .enum(FAULT_CODES)
  .meta({ id: 'FaultCode', description: 'The closed table of codes: no other is ever sent.' });
const message = text.describe('The cause, then what to do.');
const action = withOptional(
  { method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']), href: url, why: text },
  { headers: z.record(z.string(), text), body: anyObject },
);

/** Optional members of both envelopes. */
const details = {
  hint: text.describe('What would help in this very case.'),
  actions: z.array(action).describe('Calls that help.'),
  docs_url: url,
  details: anyObject,
  ...each(count, 'limit', 'used'),
  resets_at: time,
  budget: z.enum(['day', 'month', 'total', 'session']).describe('The budget that is too low.'),
  key_id: idOf('key').describe('The key whose budget or rate it is.'),
  ...each(number, 'limit_ntd', 'spent_ntd', 'held_ntd', 'left_ntd', 'needed_ntd', 'available_ntd'),
  ...each(text, 'limit_nano', 'spent_nano', 'held_nano', 'left_nano', 'needed_nano', 'available_nano'),
  needed_tokens: count.describe('What the request uses at least of a rate in tokens.'),
  affordable_max_tokens: count.describe('Not for images and embeddings.'),
  affordable_input_tokens: count.describe('Where the prompt alone costs too much: how long it could be.'),
};

const typeOf = (envelope: 'openai' | 'anthropic') => z.enum(FAULT_CODES.map((one) => faultRow(one)[`${envelope}Type`]));

const openaiError = withOptional(
  {
    message,
    type: typeOf('openai'),
    param: text.nullable().describe('The field of the request that is at fault.'),
    code,
    request_id: idOf('req'),
  },
  details,
);

const openai = named('Error', { error: openaiError });
const cohere = named('RerankError', { message, error: openaiError });

/** The error that a call would get, inside another answer. */
export const refusalShape = openaiError
  .extend(withOptional({ status: count }, { retry_after: count.describe('Seconds to wait.') }).shape)
  .meta({ id: 'Refusal' });

const anthropic = named('AnthropicError', {
  type: z.literal('error'),
  error: withOptional({ type: typeOf('anthropic'), message, code }, { param: text, ...details }),
  request_id: idOf('req'),
});

const google = named('GoogleError', {
  error: z.object({
    code: count.describe('The HTTP status.'),
    message,
    status: text.describe('Google’s name for it, such as `RESOURCE_EXHAUSTED`.'),
    details: z.array(anyObject).describe('`ErrorInfo` has the code as `reason` and the figures as `metadata`.'),
  }),
});

const ENVELOPES = { openai, anthropic, google, cohere, either: z.union([openai, anthropic]) };

/** By status, each with its possible codes. */
export function faultAnswers({ faults, envelope }: Pick<HttpRoute, 'faults' | 'envelope'>): Record<string, Response> {
  const byStatus = Map.groupBy(
    faults.flatMap((one) => statusesOf(one, envelope).map((status) => ({ one, status }))),
    ({ status }) => status,
  );
  return Object.fromEntries(
    [...byStatus].map(([status, rows]) => [
      String(status),
      {
        description: rows.map(({ one }) => `\`${one}\`: ${describedText(faultRow(one))}`).join('\n\n'),
        headers: faultHeaders(rows.map(({ one }) => one)),
        content: json(ENVELOPES[envelope]),
      },
    ]),
  );
}

function statusesOf(one: FaultCode, envelope: HttpRoute['envelope']): number[] {
  const { status, anthropicStatus = status } = faultRow(one);
  if (envelope === 'either') return [...new Set([status, anthropicStatus])];
  return [envelope === 'anthropic' ? anthropicStatus : status];
}

function faultHeaders(codes: readonly FaultCode[]): string[] {
  const rows = codes.map(faultRow);
  return [
    'x-request-id',
    ...(rows.some(({ retryAfterS }) => retryAfterS !== undefined) ? ['retry-after'] : []),
    ...(rows.some(({ shouldRetry }) => shouldRetry !== undefined) ? ['x-should-retry'] : []),
    ...(codes.includes('card_not_redeemable') ? ['idempotency-hit'] : []),
  ];
}
