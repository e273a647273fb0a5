// Where a test kills the process inside a commit: everything is decided, nothing is durable yet.

import { type Failpoint, failpoint } from '../kit/failpoint.ts';
import type { Operation, OperationName } from './operations.ts';

const KILLED_INSIDE: Partial<Record<OperationName, Failpoint>> = {
  admit: 'inside-admit',
  settle: 'inside-settle',
  redeem: 'inside-redeem',
  register: 'inside-register',
};

export function failInside(operations: readonly Operation[]): void {
  for (const { name } of operations) failpoint(KILLED_INSIDE[name]);
}
