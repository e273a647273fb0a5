// Which admitted requests count as failed, wherever they are counted or filtered. A request that the client or the limit of
// an hour ended has not failed.

import type { RequestStatus } from './rows.ts';

const NOT_FAILED: readonly RequestStatus[] = ['ok', 'client_gone', 'time_limit'];

/** A condition on the column `status`, of records and of the sums of days. */
export const IS_FAILED = `status NOT IN (${NOT_FAILED.map((status) => `'${status}'`).join(', ')})`;

export function isFailed(status: RequestStatus): boolean {
  return !NOT_FAILED.includes(status);
}
