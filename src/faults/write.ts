// Writes a fault in the caller's dialect: status, headers and body. The only place that builds an error body.

import { Fault } from './fault.ts';
import type { FaultAction } from './table.ts';

/** Where a client learns how to get a key (RFC 9728). */
export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

export type Envelope = 'openai' | 'anthropic' | 'google' | 'cohere';

interface WriteContext {
  requestId: string;
  publicUrl: string;
  /** The client's user-agent. */
  client?: string | null;
}

interface WrittenFault {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

// opencode searches the whole body for these numbers and retries wherever one appears: in a price, in an id.
const READS_NUMBERS = /^opencode\//;
const LIKE_A_STATUS = /429|500|502|503|504|524/;

export function writeFault(fault: Fault, envelope: Envelope, context: WriteContext): WrittenFault {
  const isMisread = !fault.isRetryable && readsNumbers(context.client);
  const body = isMisread
    ? withoutNumbers(faultBody(inPlainWords(fault), envelope, context))
    : faultBody(fault, envelope, context);
  return { status: statusIn(fault, envelope), headers: faultHeaders(fault, context), body };
}

function statusIn({ row }: Fault, envelope: Envelope): number {
  return envelope === 'anthropic' ? (row.anthropicStatus ?? row.status) : row.status;
}

export function readsNumbers(client: WriteContext['client']): boolean {
  return READS_NUMBERS.test(client ?? '');
}

/** Falls back to the table's message, which contains no number. */
function inPlainWords(fault: Fault): Fault {
  if (!LIKE_A_STATUS.test(fault.publicText)) return fault;
  return new Fault(fault.code, { ...fault.details, message: undefined });
}

/** Drops figures, so that a call that cannot succeed is not retried. */
function withoutNumbers(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name === 'error' || !LIKE_A_STATUS.test(JSON.stringify(member)))
      .map(([name, member]) => [name, name === 'error' ? withoutNumbers(member) : member]),
  );
}

export function faultBody(fault: Fault, envelope: Envelope, context: WriteContext): Record<string, unknown> {
  if (envelope === 'google') return googleBody(fault, context);
  // Clients of Cohere read the message at the top.
  if (envelope === 'cohere') return { message: fault.publicText, ...openaiBody(fault, context) };
  return envelope === 'anthropic' ? anthropicBody(fault, context) : openaiBody(fault, context);
}

function openaiBody(fault: Fault, context: WriteContext): Record<string, unknown> {
  return { error: openaiError(fault, context) };
}

function openaiError(fault: Fault, context: WriteContext): Record<string, unknown> {
  return {
    message: fault.publicText,
    type: fault.row.openaiType,
    param: fault.details.param ?? null,
    code: fault.code,
    ...extras(fault, context),
    request_id: context.requestId,
  };
}

/** A fault that a call would get, inside another answer: the error object, with its status and the seconds to wait. */
export function writeRefusal(fault: Fault, envelope: Envelope, context: WriteContext): Record<string, unknown> {
  return {
    ...openaiError(fault, context),
    status: statusIn(fault, envelope),
    ...(fault.waitS === undefined ? {} : { retry_after: fault.waitS }),
  };
}

function anthropicBody(fault: Fault, context: WriteContext): Record<string, unknown> {
  return {
    type: 'error',
    error: {
      type: fault.row.anthropicType,
      message: fault.publicText,
      code: fault.code,
      ...(fault.details.param ? { param: fault.details.param } : {}),
      ...extras(fault, context),
    },
    request_id: context.requestId,
  };
}

/** Google's names for what a status means. It has none for a missing payment, so that is a failed precondition. */
const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  410: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
};

const RPC = 'type.googleapis.com/google.rpc.';

function googleBody(fault: Fault, context: WriteContext): Record<string, unknown> {
  const { param, hint, figures, details } = fault.details;
  const { publicText: message, waitS } = fault;
  const { actions = [], docs_url: docs } = extras(fault, context);
  const known = { param, hint, ...details, ...figures, request_id: context.requestId };
  const metadata = Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  const links = actions.map(({ method, href, why }) => ({ description: `${why} (${method})`, url: href }));
  return {
    error: {
      code: fault.row.status,
      message,
      status: GOOGLE_STATUS[fault.row.status] ?? 'UNAVAILABLE',
      details: [
        { '@type': `${RPC}ErrorInfo`, reason: fault.code, domain: new URL(context.publicUrl).host, metadata },
        ...(param ? [{ '@type': `${RPC}BadRequest`, fieldViolations: [{ field: param, description: message }] }] : []),
        { '@type': `${RPC}Help`, links: [...links, { description: 'What this error means', url: docs }] },
        ...(waitS === undefined ? [] : [{ '@type': `${RPC}RetryInfo`, retryDelay: `${waitS}s` }]),
      ],
    },
  };
}

interface Extras extends Record<string, unknown> {
  actions?: PublicAction[];
  docs_url: string;
}

function extras(fault: Fault, context: WriteContext): Extras {
  const actions = [...(fault.details.actions ?? []), ...(fault.row.actions ?? [])];
  return {
    ...(fault.details.hint ? { hint: fault.details.hint } : {}),
    ...(actions.length ? { actions: actions.map((action) => publicAction(action, context.publicUrl)) } : {}),
    docs_url: `${context.publicUrl}/docs/errors#${fault.code}`,
    ...(fault.details.details ? { details: fault.details.details } : {}),
    ...fault.details.figures,
  };
}

interface PublicAction extends Pick<FaultAction, 'method' | 'headers' | 'body' | 'why'> {
  href: string;
}

function publicAction(action: FaultAction, publicUrl: string): PublicAction {
  const { method, path, headers, body, why } = action;
  return { method, href: publicUrl + path, ...(headers && { headers }), ...(body && { body }), why };
}

function faultHeaders(fault: Fault, { publicUrl }: WriteContext): Record<string, string> {
  const { row, details } = fault;
  const headers: Record<string, string> = { ...details.headers };
  const shouldRetry = details.reason === undefined ? row.shouldRetry : false;
  if (fault.waitS !== undefined) headers['retry-after'] = String(fault.waitS);
  if (shouldRetry !== undefined) headers['x-should-retry'] = String(shouldRetry);
  if (row.status === 401) {
    const metadata = publicUrl + PROTECTED_RESOURCE_PATH;
    headers['www-authenticate'] = `Bearer realm="api", resource_metadata="${metadata}"`;
  }
  return headers;
}
