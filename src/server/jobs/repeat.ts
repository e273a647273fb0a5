import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';

/** Runs a job again and again, `ms` after its last end. A failure is logged under its name. The result stops it. */
export function repeat(clock: Clock, log: Log, ms: number, failure: string, run: () => Promise<unknown>): () => void {
  return every(clock, ms, async () => {
    await run().catch((error: unknown) => log('error', failure, { detail: describeError(error) }));
  });
}
