// An idempotency key (`once`) moves money only once, whichever call and kind of entry it was used for before. The database
// itself refuses a second entry of the same kind.

import { onceReference } from '../../store/once.ts';
import type { Entry } from '../../store/rows.ts';
import { readLine } from './read-input.ts';
import { invalid, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools, StoreTools } from './tools.ts';

export const MAX_REASON_CHARS = 500;

const KINDS = ['credit', 'topup', 'refund', 'payout'] as const;

export interface GivenMove {
  reason: string;
  actor: Actor;
  /** Idempotency key: the same value never acts twice. */
  once?: string | undefined;
}

interface Wanted {
  kind: (typeof KINDS)[number];
  /** Values that must be equal for the call to be a repetition, by name. */
  same: Readonly<Record<string, (earlier: Entry) => boolean | Promise<boolean>>>;
}

/** `id`: the kind of a reference that is made for it. Refused: invalid, already_done. */
export async function prepareMove(
  tools: Pick<OperatingTools, 'store' | 'newId'>,
  given: GivenMove,
  { id, ...wanted }: Wanted & { id: 'credit' | 'refund' | 'payout' },
) {
  const reason = readLine(given.reason, 'reason', MAX_REASON_CHARS);
  const { once } = given;
  const reference = once === undefined ? tools.newId(id) : onceReference(readLine(once, 'once', 100));
  const refuse = () => refuseRepeated(tools, reference, wanted);
  if (once !== undefined) await refuse();
  return {
    reason,
    reference,
    async commit<Result extends { ok: boolean }>(run: () => Promise<Result>): Promise<Result> {
      const result = await run().catch(async (error: unknown) => {
        // The database accepted the first of two concurrent ones.
        await refuse();
        throw error;
      });
      // A concurrent one with the same reference may have left too little.
      if (!result.ok) await refuse();
      return result;
    },
  };
}

async function refuseRepeated({ store }: StoreTools, reference: string, { kind, same }: Wanted): Promise<void> {
  const entries = await Promise.all(KINDS.map((one) => store.read.entryBy(one, reference)));
  const earlier = entries.find((entry) => entry !== undefined);
  if (!earlier) return;
  if (earlier.kind !== kind) throw invalid('once', `was used for a ${earlier.kind}`);
  for (const [what, isSame] of Object.entries(same)) {
    if (!(await isSame(earlier))) throw invalid('once', `was used for another ${what}`);
  }
  throw new OperatingRefused('already_done', `this ${kind} was made already`);
}
