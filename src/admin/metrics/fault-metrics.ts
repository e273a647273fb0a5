// What clients were refused, by the code of the fault, and cases that have a label of their own; each is there from the start, so that its first time shows.

import { FAULT_REASONS, type FaultLabel } from '../../faults/fault.ts';
import { FAULT_CODES, faultRow } from '../../faults/table.ts';
import type { Counter, Metrics } from './metrics.ts';

/** Of limits and of money: what a client has met its bound with. */
const LIMIT_STATUS: ReadonlySet<number> = new Set([402, 429]);

export function countFaults(metrics: Metrics): (label: FaultLabel) => void {
  const faults = metrics.counter({
    name: 'gateway_faults_total',
    help: 'Answers of the public port that told a fault; one inside a stream that had begun is an outcome of its request.',
    labels: ['code'],
  });
  const limits = metrics.counter({
    name: 'gateway_limits_hit_total',
    help: 'Of the faults, those that told a limit or a lack of balance.',
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
