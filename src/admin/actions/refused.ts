// What an operator asked for and cannot have. The edges say it in their own way: an exit code, a status, a page.

export type RefusalCode =
  | 'not_found'
  | 'invalid'
  | 'already_done'
  | 'no_route'
  /** A test would pay for one. */
  | 'only_images'
  | 'last_routes'
  | 'too_many_keys'
  | 'no_revision'
  /** Somebody else was faster. */
  | 'stale';

/** As the operator's API and the console answer it. */
export const REFUSAL_STATUSES: Record<RefusalCode, number> = {
  invalid: 400,
  no_route: 400,
  only_images: 400,
  not_found: 404,
  already_done: 409,
  last_routes: 409,
  too_many_keys: 409,
  no_revision: 409,
  stale: 409,
};

export interface RefusalFacts {
  /** The field of the input that is wrong. */
  field?: string;
  /** Models, serials or whatever the refusal is about. */
  subjects?: readonly string[];
}

export class OperatingRefused extends Error {
  override name = 'OperatingRefused';
  constructor(
    readonly code: RefusalCode,
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
