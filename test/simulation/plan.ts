// One failing run as a file, so that `npm run simulate -- --replay FILE` repeats it.

import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { FAILURE_KINDS, type InjectedFailure } from './failure-kinds.ts';

const shape = z.strictObject({
  seed: z.int().min(0),
  minutes: z.number().positive(),
  failures: z.array(z.looseObject({ at: z.number().min(0), what: z.enum(FAILURE_KINDS) })),
  /** The planted bug. */
  mutation: z.string().optional(),
  /** What the run breaks, and its hash. */
  invariant: z.string(),
  trace: z.string(),
});

export interface Plan extends Omit<z.output<typeof shape>, 'failures'> {
  failures: readonly InjectedFailure[];
}

export function writePlan(file: string, plan: Plan): void {
  writeFileSync(file, `${JSON.stringify(plan, null, 2)}\n`);
}

/** Throws if the file is not a plan. */
export function readPlan(file: string): Plan {
  const read = shape.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { ...read, failures: read.failures as unknown as readonly InjectedFailure[] };
}
