// Checks continuously, on a separate connection, whether the database answers. So calls are refused at once while it is
// unreachable, and no call has to wait to find out that it is back.

import { type Clock, sleep } from '../../kit/clock.ts';
import { askOn, type Connection } from './connection.ts';
import { explain } from './errors.ts';

interface HealthOptions {
  clock: Clock;
  connect(onLost: () => void): Promise<Connection>;
  onDown(): void;
}

const ASK_MS = 500;
const ASK_WHILE_DOWN_MS = 200;
/** A database that does not answer the smallest query in this time counts as away. */
const PATIENCE_MS = 1_000;
const CLOSED = 'the store is closed';

/** Counts as up at first: the caller has just reached the database. */
export function watchHealth({ clock, connect, onDown }: HealthOptions) {
  let isUp = true;
  let why = '';
  let isClosed = false;
  let connection: Connection | undefined;
  let askNow: (() => void) | undefined;
  let waiting: PromiseWithResolvers<void>[] = [];

  function setUp(answers: boolean): void {
    if (answers === isUp) return;
    isUp = answers;
    if (!answers) {
      onDown();
      return;
    }
    for (const { resolve } of waiting) resolve();
    waiting = [];
  }

  async function ask(): Promise<boolean> {
    try {
      connection = connection?.isOpen ? connection : await connect(() => askNow?.());
      await askOn(connection, { sql: 'SELECT 1' }, PATIENCE_MS);
      return true;
    } catch (error) {
      why = `the database does not answer: ${explain(error)}`;
      return false;
    }
  }

  /** One lost connection does not mean that the database is down; a second one does, and so does a timeout. */
  async function askTwice(): Promise<boolean> {
    const since = clock.monotonic();
    if (await ask()) return true;
    return isUp && clock.monotonic() - since < PATIENCE_MS ? ask() : false;
  }

  async function watch(): Promise<void> {
    while (!isClosed) {
      const answers = await askTwice();
      if (isClosed) break;
      setUp(answers);
      const wake = new AbortController();
      askNow = () => wake.abort();
      await sleep(clock, isUp ? ASK_MS : ASK_WHILE_DOWN_MS, wake.signal).catch(() => undefined);
      askNow = undefined;
    }
  }
  const watching = watch();

  return {
    /** Why it is unreachable, for the log; undefined while it answers. */
    get away(): string | undefined {
      if (isClosed) return CLOSED;
      return isUp ? undefined : why;
    },
    /** Resolves as soon as the database answers; rejects when the store is closed. */
    whenUp(): Promise<void> {
      if (isClosed) return Promise.reject(new Error(CLOSED));
      if (isUp) return Promise.resolve();
      const next = Promise.withResolvers<void>();
      waiting.push(next);
      return next.promise;
    },
    async close(): Promise<void> {
      isClosed = true;
      for (const { reject } of waiting) reject(new Error(CLOSED));
      waiting = [];
      askNow?.();
      // A query under way may be opening a connection.
      await watching;
      await connection?.close();
    },
  };
}
