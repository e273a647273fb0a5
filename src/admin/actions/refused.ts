// Refusals of operator actions. The callers show them as an exit code, a status or a page.

/** HTTP statuses for the operator's API and the console, by code. */
export const REFUSAL_STATUSES = {
  invalid: 400,
  no_route: 400,
  /** A test would cost an image. */
  only_images: 400,
  not_found: 404,
  already_done: 409,
  last_routes: 409,
  too_many_keys: 409,
  /** A refund of more than is left of what its request or card cost. */
  above_charge: 409,
  /** A refund of a sold card of more than the paid balance that was spent. */
  above_spent: 409,
  /** A payout of more than is paid for and not held. */
  above_paid: 409,
  /** A payout from a wallet that does not agree with its entries. */
  frozen_by_audit: 409,
  no_revision: 409,
  /** Another change came first. */
  stale: 409,
};

interface RefusalFacts {
  /** The invalid input field. */
  field?: string;
  /** The models, serials or other subjects of the refusal. */
  subjects?: readonly string[];
  /** Amounts that explain it. */
  figures?: Readonly<Record<string, unknown>>;
}

export class OperatingRefused extends Error {
  override name = 'OperatingRefused';
  constructor(
    readonly code: keyof typeof REFUSAL_STATUSES,
    message: string,
    readonly facts: RefusalFacts = {},
  ) {
    super(message);
  }
}

export function invalid(field: string, message: string): OperatingRefused {
  return new OperatingRefused('invalid', message, { field });
}

export function notFound(what: string): OperatingRefused {
  return new OperatingRefused('not_found', `there is no ${what}`);
}
