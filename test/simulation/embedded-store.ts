// The store of a service with the embedded database: the real one, with simulated threads. They work through their
// requests one after another on a disk that may be slow, stall, be full or fail.

import type { ReaderRequest, WriterRequest } from '../../src/store/sqlite/messages.ts';
import { storeOn, type Thread } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { SimulatedDatabase } from './database.ts';
import type { Dice } from './dice.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

const STALL_MS = 100;

export function openEmbeddedStore(world: World, machine: Machine, database: SimulatedDatabase, dice: Dice): Store {
  /** What was answered before the last process died is in the journal. */
  database.restart();
  database.post();

  function thread<Request>(handle: (request: Request) => unknown): Thread<Request> {
    const queue: (() => void)[] = [];

    function runNext(): void {
      const { isAway, slowness } = database.state;
      if (isAway) return void world.after(STALL_MS, runNext);
      world.after(dice.between(0, 2) + dice.between(0, slowness), () =>
        machine.enter(() => {
          queue.shift()?.();
          if (queue.length > 0) runNext();
        }),
      );
    }

    return {
      ask(request) {
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        queue.push(() => {
          try {
            resolve(handle(request));
          } catch (error) {
            reject(error);
          }
        });
        if (queue.length === 1) runNext();
        return promise;
      },
      end() {},
    };
  }

  function write(request: WriterRequest): unknown {
    switch (request.do) {
      case 'commit':
        return database.write(request.operations);
      case 'alarm':
        return database.recordAlarm(request.alarm, request.at);
      case 'refusals':
        return database.recordRefusals(request.batch);
      case 'forget':
        return database.forget(request.before);
      case 'forgetUsage':
        return { records: 0, sums: 0, losses: 0 };
      case 'post':
        return database.postOnDisk();
      case 'open':
      case 'close':
        return undefined;
    }
  }

  function read(request: ReaderRequest): unknown {
    switch (request.do) {
      case 'read':
        return database.readTables(request.name, request.args);
      case 'isBehind':
        return database.isBehind();
      case 'open':
      case 'close':
        return undefined;
    }
  }

  return storeOn({ writer: thread(write), reader: thread(read), slowReader: thread(read) }, { clock: machine.clock });
}
