// Limits how long a caller waits for a commit, because a database that hangs may answer much later. An admission that is
// answered after the limit is undone, because its caller has given up and would never close it. A repeated register, redeem or key creation is
// recognized by its Idempotency-Key. Some operations wait without a limit: settle and release, because a retry would find
// the hold resolved; late losses, because they would be booked twice; and operations of an operator, because a credit that
// was reported as refused would be given again.

import { fault } from '../../faults/fault.ts';
import { type Clock, sleep } from '../../kit/clock.ts';
import type { AdmitInput, AdmitResult, Input, OperationName, Result } from '../operations.ts';
import { ACTORS } from '../rows.ts';

export type Submit = <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Result<Name>>;

interface Waiting {
  since: number;
  giveUp(): void;
}

const WAIT_MS = 5_000;
const LOOK_MS = 500;
const UNDO_AGAIN_MS = 1_000;

export function boundWait(submit: Submit, clock: Clock, away: () => string | undefined) {
  const waiting = new Set<Waiting>();
  let isWatching = false;
  let isClosed = false;

  async function undo({ requestId, accountId, keyId, chain, charge }: AdmitInput): Promise<void> {
    const freeAddress = charge.free ? charge.limits.perAddress?.address : undefined;
    while (!isClosed) {
      try {
        await submit('undo', { requestId, accountId, keyId, chain, freeAddress, at: clock.now() });
        return;
      } catch {
        await sleep(clock, UNDO_AGAIN_MS);
      }
    }
  }

  /** One timer for all waiting calls. */
  function watch(): void {
    if (isWatching) return;
    isWatching = true;
    clock.after(LOOK_MS, () => {
      isWatching = false;
      const oldest = clock.monotonic() - WAIT_MS;
      for (const one of waiting) if (one.since <= oldest) one.giveUp();
      if (waiting.size > 0) watch();
    });
  }

  return {
    commit<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Result<Name>> {
      if (name === 'settle' || name === 'release' || name === 'bookLosses') return submit(name, input);
      const why = away();
      if (why !== undefined) return Promise.reject(fault('unavailable', { internal: `store: ${why}` }));
      if (isOfOperator(input)) return submit(name, input);
      return new Promise((resolve, reject) => {
        let isGivenUp = false;
        const one: Waiting = {
          since: clock.monotonic(),
          giveUp() {
            isGivenUp = true;
            waiting.delete(one);
            reject(fault('unavailable', { internal: `store: ${name} got no answer in ${WAIT_MS} ms` }));
          },
        };
        waiting.add(one);
        watch();
        submit(name, input).then(
          (result) => {
            waiting.delete(one);
            if (!isGivenUp) resolve(result);
            else if (name === 'admit' && (result as AdmitResult).ok) void undo(input as AdmitInput);
          },
          (error) => {
            waiting.delete(one);
            reject(error);
          },
        );
      });
    },
    close(): void {
      isClosed = true;
    },
  };
}

/**
 * Operations of an operator have a line for the log of actions. Those of the server itself do too, but a start must not wait
 * for them.
 */
function isOfOperator(input: Input<OperationName>): boolean {
  return 'log' in input && input.log !== undefined && input.log.actor !== ACTORS.server;
}
