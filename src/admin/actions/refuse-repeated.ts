// An idempotency key (`once`) moves money only once, whichever call and kind of entry it was used for before. The database
// itself refuses a second entry of the same kind.

import type { Entry } from '../../store/rows.ts';
import { invalid, OperatingRefused } from './refused.ts';
import type { StoreTools } from './tools.ts';

const KINDS = ['credit', 'topup', 'refund', 'payout'] as const;

interface Wanted {
  kind: (typeof KINDS)[number];
  /** Values that must be equal for the call to be a repetition, by name. */
  same: Readonly<Record<string, (earlier: Entry) => boolean | Promise<boolean>>>;
}

/** Throws if the reference was used: already_done, or invalid if it was for something else. */
export async function refuseRepeated({ store }: StoreTools, reference: string, { kind, same }: Wanted): Promise<void> {
  const entries = await Promise.all(KINDS.map((one) => store.read.entryBy(one, reference)));
  const earlier = entries.find((entry) => entry !== undefined);
  if (!earlier) return;
  if (earlier.kind !== kind) throw invalid('once', `was used for a ${earlier.kind}`);
  for (const [what, isSame] of Object.entries(same)) {
    if (!(await isSame(earlier))) throw invalid('once', `was used for another ${what}`);
  }
  throw new OperatingRefused('already_done', `this ${kind} was made already`);
}
