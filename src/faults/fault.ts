// A fault is a value of the closed table plus what this one case adds. `internal` is for our log; a client never sees it.

import { type FaultAction, type FaultCode, type FaultRow, faultRow } from './table.ts';

export const FAULT_REASONS = ['wallet_frozen'] as const;
/** Cases of a code that concern one account and end when the operator says so: not by waiting, and no failure of the service. */
export type FaultReason = (typeof FAULT_REASONS)[number];

export interface FaultDetails {
  /** Replaces the table's text: the cause first, then the remedy. */
  message?: string | undefined;
  param?: string | undefined;
  /** Which case of its code it is, where that case has words, a count and an end of its own. */
  reason?: FaultReason;
  hint?: string | undefined;
  actions?: readonly FaultAction[];
  /** Figures for the client: limit, used, resets_at, needed_ntd, … */
  figures?: Readonly<Record<string, string | number>>;
  /** What a vendor's own SDK looks for, under `error.details`. */
  details?: Readonly<Record<string, string>>;
  retryAfterS?: number | undefined;
  /** Further response headers, such as `allow`. */
  headers?: Readonly<Record<string, string>>;
  internal?: string | undefined;
}

/** What a fault is counted as. */
export type FaultLabel = FaultCode | FaultReason;

export class Fault extends Error {
  override name = 'Fault';
  readonly row: FaultRow;

  constructor(
    readonly code: FaultCode,
    readonly details: FaultDetails = {},
  ) {
    super(code);
    this.row = faultRow(code);
  }

  get label(): FaultLabel {
    return this.details.reason ?? this.code;
  }

  /** May the same call succeed later without a change? */
  get isRetryable(): boolean {
    return this.row.retryable && this.details.reason === undefined;
  }

  /** Something of ours is wrong. */
  get isOurs(): boolean {
    return this.row.status >= 500 && this.details.reason === undefined;
  }

  /** Why it was thrown, in our words: what `describeError` of the log looks for. */
  get forLog(): string {
    return this.details.internal ?? this.code;
  }

  get publicText(): string {
    return this.details.message ?? this.row.text;
  }
}

export function fault(code: FaultCode, details?: FaultDetails): Fault {
  return details ? new Fault(code, details) : plainFault(code);
}

const PLAIN = new Map<FaultCode, Fault>();

/** Nothing of it ever changes, and nobody reads where it was made: one for all cases spares a flood its making. */
function plainFault(code: FaultCode): Fault {
  let plain = PLAIN.get(code);
  if (!plain) {
    plain = new Fault(code);
    PLAIN.set(code, plain);
  }
  return plain;
}

export function clientLeft(): Fault {
  return fault('unavailable', { internal: 'the client left' });
}

/** A client that left is no failure of ours; the answer goes nowhere, and is neither counted nor logged. */
export function isOfGone(error: unknown, request: Request): boolean {
  return error instanceof Fault && error.code === 'unavailable' && request.signal.aborted;
}

/** Anything thrown becomes a fault; what we did not foresee is our own error. */
export function toFault(error: unknown): Fault {
  return error instanceof Fault ? error : fault('internal_error');
}
