// A node's way to the shared database. Batches, the bound on how long a caller waits, and admissions that are taken back
// are the real ones; only the connection is simulated. As on the real one, a batch whose answer is lost is asked for until
// somebody knows.

import { fault } from '../../src/faults/fault.ts';
import { sleep } from '../../src/kit/clock.ts';
import { createBatcher } from '../../src/store/batcher.ts';
import type { Decided } from '../../src/store/book/decide.ts';
import type { Operation } from '../../src/store/operations.ts';
import { boundWait } from '../../src/store/postgres/bound-wait.ts';
import { readsFrom } from '../../src/store/read-table.ts';
import type { Store } from '../../src/store/store.ts';
import type { SimulatedDatabase } from './database.ts';
import type { Dice } from './dice.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

const MAX_RUNNING = 2;
const ASK_AGAIN_MS = 100;
const STATEMENT_MS = 2_000;

/** When a question arrives at the latest: the same one has been sent again meanwhile. */
const LATEST_MS = 3 * STATEMENT_MS;

class Lost extends Error {
  override name = 'Lost';
}

export function openNodeStore(world: World, machine: Machine, database: SimulatedDatabase, name: string, dice: Dice) {
  const { clock } = machine;
  let batches = 0;

  /** One way there and back: rejects with Lost if nobody knows whether it was done. */
  function ask<Answer>(act: () => Answer): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { state } = database;
    const lose = () => machine.enter(() => reject(new Lost('no answer')));
    const travel = () => dice.between(0, 2) + (state.slowness > 0 ? dice.between(0, state.slowness) : 0);
    if (state.isAway || dice.isLuck(state.loss)) {
      world.after(STATEMENT_MS, lose);
      return promise;
    }
    if (dice.isLuck(state.lateness)) {
      world.after(STATEMENT_MS, lose);
      world.after(dice.between(STATEMENT_MS, LATEST_MS), () => void attempt(act));
      return promise;
    }
    world.after(travel(), () => {
      // A node that died meanwhile has sent it all the same.
      if (state.isAway) return void world.after(STATEMENT_MS, lose);
      const answer = attempt(act);
      if (dice.isLuck(state.loss)) return void world.after(STATEMENT_MS, lose);
      world.after(travel(), () =>
        machine.enter(() => ('value' in answer ? resolve(answer.value) : reject(answer.error))),
      );
    });
    return promise;
  }

  async function commit(operations: readonly Operation[]): Promise<Decided[]> {
    const batchId = `${name} ${batches++}`;
    let arrived = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(() => {
          // As the row of a writer does it: once a later attempt has been answered, an earlier one cannot commit.
          if (attempt < arrived) throw new Lost('too late');
          arrived = attempt;
          return database.commit(batchId, operations);
        });
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        await sleep(clock, ASK_AGAIN_MS);
      }
    }
  }

  const questions = <Answer>(act: () => Answer): Promise<Answer> =>
    ask(act).catch((error: Error) => {
      throw fault('unavailable', { internal: `store: ${error.message}` });
    });
  const batcher = createBatcher({ clock, commit, maxRunning: MAX_RUNNING });
  const bounded = boundWait(batcher.submit, clock, () => undefined);
  const store: Store = {
    commit: bounded.commit,
    waiting: batcher.depth,
    read: readsFrom((read, args) => questions(() => database.read(read, args))),
    recordAlarm: (alarm, at) => questions(() => database.recordAlarm(alarm, at)),
    recordRefusals: (batch) => questions(() => database.recordRefusals(batch)),
    forget: (before) => questions(() => database.forget(before)),
    forgetUsage: async () => ({ records: 0, sums: 0, losses: 0 }),
    async close() {
      await batcher.idle();
      bounded.close();
    },
  };
  return store;
}

function attempt<Answer>(act: () => Answer): { value: Answer } | { error: Error } {
  try {
    return { value: act() };
  } catch (error) {
    return { error: error as Error };
  }
}
