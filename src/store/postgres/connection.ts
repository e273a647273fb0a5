// One connection, on which statements are sent in one go and answered in order. It always answers: when time runs out it
// is closed, which ends everything that was under way on it.

import { type ReservedSQL, SQL } from 'bun';
import type { Clock } from '../../kit/clock.ts';
import { ConnectionLost, explain, isAboutTerms, isFarewell, NoAnswer, NoTerms, sqlState } from './errors.ts';

export interface Query {
  sql: string;
  values?: readonly unknown[];
  /** Several statements, without values. */
  isScript?: true;
}

export interface Rows extends Array<Readonly<Record<string, unknown>>> {
  /** The server's word for what it did: COMMIT may be answered with ROLLBACK. */
  command: string;
}

export type Answer = { ok: true; rows: Rows } | { ok: false; error: unknown };

export interface Connection {
  readonly isOpen: boolean;
  /** Answers every query; an error that is no NoAnswer came from the server. */
  send(queries: readonly Query[], withinMs: number): Promise<Answer[]>;
  close(): Promise<void>;
}

export interface ClientOptions {
  url: string;
  settings: Readonly<Record<string, string>>;
  max: number;
  onLost?: () => void;
}

const CONNECT_TIMEOUT_S = 2;

export function createClient({ url, settings, max, onLost }: ClientOptions): SQL {
  const { pathname, username } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username);
  return new SQL(url, {
    max,
    bigint: true,
    connectionTimeout: CONNECT_TIMEOUT_S,
    connection: settings,
    // Said again, because PGDATABASE would otherwise be believed more than the URL.
    ...(database ? { database } : {}),
    ...(onLost ? { onclose: onLost } : {}),
  });
}

/** Rejects with the server's error, or with NoAnswer. */
export async function openConnection(options: Omit<ClientOptions, 'max'>, clock: Clock): Promise<Connection> {
  let isOpen = true;
  const client = createClient({
    ...options,
    max: 1,
    onLost: () => {
      isOpen = false;
      options.onLost?.();
    },
  });
  const close = async () => {
    isOpen = false;
    await client.close({ timeout: 0 }).catch(() => undefined);
  };
  let reserved: ReservedSQL;
  try {
    reserved = await client.reserve();
  } catch (error) {
    await close();
    if (isAnswer(error)) throw error;
    const why = `cannot connect: ${explain(error)}`;
    if (isAboutTerms(error)) throw new NoTerms(why);
    throw isFarewell(error) ? new ConnectionLost(why) : new NoAnswer(why);
  }
  return {
    get isOpen() {
      return isOpen;
    },
    async send(queries, withinMs) {
      let isLate = false;
      const cancel = clock.after(withinMs, () => {
        isLate = true;
        void close();
      });
      const settled = await Promise.allSettled(queries.map((query) => start(reserved, query)));
      cancel();
      return settled.map((one) => {
        if (one.status === 'fulfilled') return { ok: true, rows: one.value };
        if (isLate) return { ok: false, error: new NoAnswer(`no answer in ${withinMs} ms`) };
        return { ok: false, error: isAnswer(one.reason) ? one.reason : new ConnectionLost(explain(one.reason)) };
      });
    },
    close,
  };
}

function start(reserved: ReservedSQL, { sql, values = [], isScript }: Query) {
  return isScript ? reserved.unsafe<Rows>(sql).simple() : reserved.unsafe<Rows>(sql, [...values]);
}

function isAnswer(error: unknown): boolean {
  return sqlState(error) !== undefined && !isFarewell(error);
}
