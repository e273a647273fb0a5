// Why a job or a whole reload failed, for the log: what the store says of itself in its faults, or what kind of slip it was.

import { Fault } from '../faults/fault.ts';
import { describeError } from '../kit/log.ts';

export function reasonOf(error: unknown): string {
  return error instanceof Fault ? (error.details.internal ?? error.code) : describeError(error);
}
