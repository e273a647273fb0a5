// A fault: a row of the closed table plus details of this case. `internal` is for the log; clients never see it.

import { type FaultAction, type FaultCode, type FaultRow, faultRow, WAIT } from './table.ts';

/** Clients hang on longer values, or ignore them. */
const MAX_WAIT_S = 55;

export const FAULT_REASONS = ['wallet_frozen'] as const;
/**
 * Cases that concern one account and that only the operator can end: neither waiting helps, nor has the service failed.
 */
type FaultReason = (typeof FAULT_REASONS)[number];

export interface FaultDetails {
  /** Replaces the table's text: the cause first, then the remedy. It may contain WAIT. */
  message?: string | undefined;
  param?: string | undefined;
  /** The case of the code, if it has its own text and count. */
  reason?: FaultReason;
  hint?: string | undefined;
  actions?: readonly FaultAction[];
  /** Figures for the client: limit, used, resets_at, needed_ntd, … */
  figures?: Readonly<Record<string, string | number>>;
  /** Fields that a vendor's SDK expects under `error.details`. */
  details?: Readonly<Record<string, string>>;
  retryAfterS?: number | undefined;
  /** Further response headers, such as `allow`. */
  headers?: Readonly<Record<string, string>>;
  internal?: string | undefined;
}

/** The label of a fault in metrics. */
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

  /** The gateway itself failed. */
  get isOurs(): boolean {
    return this.row.status >= 500 && this.details.reason === undefined;
  }

  /** The reason for the log, which `describeError` reads. */
  get forLog(): string {
    return this.details.internal ?? this.code;
  }

  /** Whole seconds for `retry-after`; undefined if waiting is not the remedy. */
  get waitS(): number | undefined {
    const { retryAfterS: usual } = this.row;
    if (usual === undefined || !this.isRetryable) return undefined;
    const { retryAfterS = usual } = this.details;
    return wholeWaitS(Number.isNaN(retryAfterS) ? usual : retryAfterS);
  }

  get publicText(): string {
    return (this.details.message ?? this.row.text).replace(WAIT, `${this.waitS ?? MAX_WAIT_S} s`);
  }
}

/** As `retry-after` reports it. */
export function wholeWaitS(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT_S);
}

export function fault(code: FaultCode, details?: FaultDetails): Fault {
  return details ? new Fault(code, details) : plainFault(code);
}

const PLAIN = new Map<FaultCode, Fault>();

/** Shared: it never changes and its stack is not read, so a flood of faults creates no objects. */
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

/** A client that disconnected is not a failure: the response is neither counted nor logged. */
export function isClientGone(error: unknown, request: Request): boolean {
  return error instanceof Fault && error.code === 'unavailable' && request.signal.aborted;
}

/** Turns anything thrown into a fault; unexpected errors become internal errors. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return isOutOfMemory(error) ? fault('unavailable', { internal: 'out of memory' }) : fault('internal_error');
}

/** The engine throws this if the memory for a text or a buffer cannot be had; the call may succeed later. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Out of memory';
}

/**
 * The text for a prompt that is too long. Coding agents recognise the first sentence and read both figures to shorten the
 * prompt; libraries for OpenAI's errors recognise the second, which is OpenAI's own.
 */
export function tooLongText(tokens: number, most: number): string {
  return `The prompt is too long: ${tokens} tokens > ${most} maximum. This model's maximum context length is ${most} tokens. Shorten the prompt, or choose a model with a larger context.`;
}
