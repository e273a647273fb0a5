// What the operator's port refuses. It speaks to the operator alone and may say more than a client hears, so its refusals
// are not of the clients' table; a fault that a use case throws keeps its code.

import { Fault } from '../faults/fault.ts';

export interface RefusalFacts {
  /** For programs: the field that is wrong, figures, faults by their path. */
  facts?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
}

export class OperatorRefused extends Error {
  override name = 'OperatorRefused';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: RefusalFacts = {},
  ) {
    super(message);
  }
}

export function refusalResponse(error: unknown, requestId: string): Response {
  const { status, code, message, details } = toRefused(error);
  const body = { error: { code, message, ...details.facts, request_id: requestId } };
  return Response.json(body, { status, headers: { ...details.headers } });
}

function toRefused(error: unknown): OperatorRefused {
  if (error instanceof OperatorRefused) return error;
  if (!(error instanceof Fault)) {
    return new OperatorRefused(500, 'internal_error', 'Look into the log: the fault is the gateway’s own.');
  }
  const { code, row, publicText, details } = error;
  const { param, internal, figures } = details;
  return new OperatorRefused(row.status, code, publicText, {
    facts: { ...(param ? { param } : {}), ...(internal ? { detail: internal } : {}), ...figures },
  });
}
