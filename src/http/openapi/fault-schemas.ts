// The error envelopes, and of a list of codes the answers they make: all from the one table of faults.

import { FAULT_CODES, type FaultCode, faultRow } from '../../faults/table.ts';
import type { Envelope } from '../../faults/write.ts';
import {
  bodyOf,
  COUNT,
  idOf,
  listOf,
  type Members,
  NUMBER,
  objectOf,
  oneWord,
  orNull,
  refTo,
  type Schema,
  TEXT,
  TIME,
  told,
  URL,
} from './schema.ts';

const unique = (words: readonly string[]) => oneWord(...new Set(words));

const action: Schema = {
  ...bodyOf({ method: oneWord('GET', 'POST', 'PATCH', 'DELETE'), href: URL, body: { type: 'object' }, why: TEXT }, [
    'method',
    'href',
    'why',
  ]),
};

/** What either envelope has where it applies. */
const details: Members = {
  hint: told('What would help in this very case.', TEXT),
  actions: told('Calls that help.', listOf(action)),
  docs_url: URL,
  details: { type: 'object' },
  limit: COUNT,
  used: COUNT,
  resets_at: TIME,
  needed_ntd: NUMBER,
  needed_nano: TEXT,
  available_ntd: NUMBER,
  available_nano: TEXT,
  affordable_max_tokens: told('Not for images and embeddings.', COUNT),
};

const MESSAGE = told('The cause, then what to do.', TEXT);

export const FAULT_SCHEMAS: Readonly<Record<string, Schema>> = {
  FaultCode: told('The closed table of codes: no other is ever sent.', oneWord(...FAULT_CODES)),
  Error: objectOf({
    error: bodyOf(
      {
        message: MESSAGE,
        type: unique(FAULT_CODES.map((code) => faultRow(code).openaiType)),
        param: told('The field of the request that is at fault.', orNull(TEXT)),
        code: refTo('FaultCode'),
        ...details,
        request_id: idOf('req'),
      },
      ['message', 'type', 'param', 'code', 'request_id'],
    ),
  }),
  AnthropicError: objectOf({
    type: { const: 'error' },
    error: bodyOf(
      {
        type: unique(FAULT_CODES.map((code) => faultRow(code).anthropicType)),
        message: MESSAGE,
        code: refTo('FaultCode'),
        param: TEXT,
        ...details,
      },
      ['type', 'message', 'code'],
    ),
    request_id: idOf('req'),
  }),
};

const ENVELOPES: Record<Envelope | 'either', Schema> = {
  openai: refTo('Error'),
  anthropic: refTo('AnthropicError'),
  either: { anyOf: [refTo('Error'), refTo('AnthropicError')] },
};

/** By status; each tells the codes it may have. */
export function faultAnswers(codes: readonly FaultCode[], envelope: Envelope | 'either'): Record<string, Schema> {
  const byStatus = Map.groupBy(
    codes.flatMap((code) => statusesOf(code, envelope).map((status) => ({ code, status }))),
    ({ status }) => status,
  );
  return Object.fromEntries(
    [...byStatus].map(([status, rows]) => [
      String(status),
      {
        description: rows.map(({ code }) => `\`${code}\`: ${faultRow(code).text}`).join('\n\n'),
        headers: faultHeaders(rows.map(({ code }) => code)),
        content: { 'application/json': { schema: ENVELOPES[envelope] } },
      },
    ]),
  );
}

function statusesOf(code: FaultCode, envelope: Envelope | 'either'): number[] {
  const { status, anthropicStatus = status } = faultRow(code);
  if (envelope === 'either') return [...new Set([status, anthropicStatus])];
  return [envelope === 'anthropic' ? anthropicStatus : status];
}

function faultHeaders(codes: readonly FaultCode[]): Record<string, Schema> {
  const rows = codes.map(faultRow);
  const names = [
    'x-request-id',
    ...(rows.some(({ retryAfterS }) => retryAfterS !== undefined) ? ['retry-after'] : []),
    ...(rows.some(({ shouldRetry }) => shouldRetry !== undefined) ? ['x-should-retry'] : []),
    ...(codes.includes('card_not_redeemable') ? ['idempotency-hit'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
