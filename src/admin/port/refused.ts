// Refusals of the operator's port. Only the operator sees them, and they may say more than a client may know, so they are
// not in the table of faults; a fault that a use case throws keeps its code.

import { Fault } from '../../faults/fault.ts';
import { OperatingRefused, REFUSAL_STATUSES } from '../actions/refused.ts';

interface RefusalExtras {
  /** For programs: the field that is wrong, figures, faults by their path. */
  facts?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
}

export class PortRefused extends Error {
  override name = 'PortRefused';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: RefusalExtras = {},
  ) {
    super(message);
  }
}

export function refusalResponse(error: unknown, requestId: string): Response {
  const { status, code, message, details } = toRefused(error);
  const shown = { message, type: typeOf(status), param: null, code, ...details.facts, request_id: requestId };
  return Response.json({ error: shown }, { status, headers: { ...details.headers } });
}

function toRefused(error: unknown): PortRefused {
  if (error instanceof PortRefused) return error;
  if (error instanceof OperatingRefused) return fromOperating(error);
  if (!(error instanceof Fault)) {
    return new PortRefused(500, 'internal_error', 'An internal error occurred. The server log has the cause.');
  }
  const { code, row, publicText, details } = error;
  const { param, internal, figures } = details;
  return new PortRefused(row.status, code, publicText, {
    facts: { ...(param ? { param } : {}), ...(internal ? { detail: internal } : {}), ...figures },
  });
}

function fromOperating({ code, message, facts: { field, subjects, figures } }: OperatingRefused): PortRefused {
  const facts = { ...(field ? { param: field } : {}), ...(subjects ? { details: { subjects } } : {}), ...figures };
  return new PortRefused(REFUSAL_STATUSES[code], code, field ? `${field} ${message}` : message, { facts });
}

/** As clients of OpenAI know them. */
function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
