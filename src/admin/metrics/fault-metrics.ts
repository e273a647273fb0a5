// Faults by code, and by label for special cases; all exist from the start, so that the first increase is visible.

import { FAULT_REASONS, type FaultLabel } from '../../faults/fault.ts';
import { FAULT_CODES, faultRow } from '../../faults/table.ts';
import type { Counter, Metrics } from './metrics.ts';

/** Statuses for limits and missing balance. */
const LIMIT_STATUS: ReadonlySet<number> = new Set([402, 429]);

export function countFaults(metrics: Metrics): (label: FaultLabel) => void {
  const faults = metrics.counter({
    name: 'gateway_faults_total',
    help: 'Responses of the public port with a fault; a fault inside a started stream counts as the outcome of its request.',
    labels: ['code'],
  });
  const limits = metrics.counter({
    name: 'gateway_limits_hit_total',
    help: 'Faults that report a limit or a missing balance.',
    labels: ['code'],
  });
  const counters = new Map<FaultLabel, readonly Counter[]>([
    ...FAULT_CODES.map((code): [FaultLabel, Counter[]] => [
      code,
      [faults.of(code), ...(LIMIT_STATUS.has(faultRow(code).status) ? [limits.of(code)] : [])],
    ]),
    ...FAULT_REASONS.map((reason): [FaultLabel, Counter[]] => [reason, [faults.of(reason)]]),
  ]);
  return (label) => {
    for (const counter of counters.get(label) ?? []) counter.add();
  };
}
