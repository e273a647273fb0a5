// How long a caller waits for a commit. A database that has gone quiet may answer much later; a client is not kept so
// long. What was answered too late to be used must not stay: an admission that nobody will close is taken back.
// A repeated register, redeem or key creation is told apart by its Idempotency-Key; settle and release wait as long as
// it takes, because a second try would find their hold resolved by the first.

import { fault } from '../../faults/fault.ts';
import { type Clock, sleep } from '../../kit/clock.ts';
import type { AdmitInput, AdmitResult, Input, OperationName, Result } from '../operations.ts';
import { NO_BUCKETS } from '../rows.ts';

export type Submit = <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Result<Name>>;

export interface BoundedCommits {
  commit: Submit;
  close(): void;
}

const WAIT_MS = 5_000;
const UNDO_AGAIN_MS = 1_000;

export function boundWait(submit: Submit, clock: Clock, isUp: () => boolean): BoundedCommits {
  let isClosed = false;

  async function undo({ requestId, accountId, keyId }: AdmitInput): Promise<void> {
    while (!isClosed) {
      const at = clock.now();
      const outcome = {
        at,
        status: 'unavailable',
        channel: null,
        buckets: NO_BUCKETS,
        reasoning: 0,
        estimated: false,
        firstTokenMs: null,
        totalMs: 0,
        attempts: [],
      };
      try {
        await submit('release', { requestId, accountId, keyId, giveBackSlots: true, outcome });
        return;
      } catch {
        await sleep(clock, UNDO_AGAIN_MS);
      }
    }
  }

  function giveUp<Name extends OperationName>(name: Name, input: Input<Name>, answer: Promise<Result<Name>>): void {
    answer.then(
      (result) => {
        if (name === 'admit' && (result as AdmitResult).ok) void undo(input as AdmitInput);
      },
      () => undefined,
    );
  }

  return {
    commit(name, input) {
      if (name === 'settle' || name === 'release') return submit(name, input);
      if (!isUp()) return Promise.reject(fault('unavailable', { internal: 'store: the database does not answer' }));
      const answer = submit(name, input);
      return new Promise((resolve, reject) => {
        const cancel = clock.after(WAIT_MS, () => {
          reject(fault('unavailable', { internal: `store: ${name} got no answer in ${WAIT_MS} ms` }));
          giveUp(name, input, answer);
        });
        answer.finally(cancel).then(resolve, reject);
      });
    },
    close() {
      isClosed = true;
    },
  };
}
