// One connection, on which statements are sent in one go and answered in order. It always answers: when the time of the
// one that is first in line runs out it is closed, which ends everything that was under way on it.

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
  /** Answers every query; an error that is no NoAnswer came from the server. The time counts from when all that was sent
   * before is answered; who was behind one that took too long gets a ConnectionLost. */
  send(queries: readonly Query[], withinMs: number): Promise<Answer[]>;
  close(): Promise<void>;
}

interface ConnectionOptions {
  url: string;
  settings: Readonly<Record<string, string>>;
  onLost?: () => void;
}

/** A caller that waits for the response to its query. */
interface Sender {
  withinMs: number;
  isLate: boolean;
}

const CONNECT_TIMEOUT_S = 2;
const SETTINGS_MS = 2_000;

/** Only the name goes with the first packet: a pooler refuses all other settings there, or leaves them out unsaid. */
function createClient({ url, settings, onLost }: ConnectionOptions): SQL {
  const { pathname, username } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username);
  const { application_name } = settings;
  return new SQL(url, {
    max: 1,
    bigint: true,
    connectionTimeout: CONNECT_TIMEOUT_S,
    ...(application_name === undefined ? {} : { connection: { application_name } }),
    // Said again, because PGDATABASE would otherwise be believed more than the URL.
    ...(database ? { database } : {}),
    ...(onLost ? { onclose: onLost } : {}),
  });
}

/** Rejects with the server's error, or with NoAnswer. */
export async function openConnection(options: ConnectionOptions, clock: Clock): Promise<Connection> {
  let isOpen = true;
  const client = createClient({
    ...options,
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
  const line = new Set<Sender>();
  let cancel = () => {};
  const watchFirst = () => {
    cancel();
    const [first] = line;
    if (first === undefined) return;
    cancel = clock.after(first.withinMs, () => {
      first.isLate = true;
      void close();
    });
  };
  const leave = (sender: Sender) => {
    const [first] = line;
    line.delete(sender);
    if (sender === first) watchFirst();
  };
  const connection: Connection = {
    get isOpen() {
      return isOpen;
    },
    async send(queries, withinMs) {
      const sender = { withinMs, isLate: false };
      line.add(sender);
      if (line.size === 1) watchFirst();
      const settled = await Promise.allSettled(queries.map((query) => start(reserved, query)));
      leave(sender);
      return settled.map((one) => {
        if (one.status === 'fulfilled') return { ok: true, rows: one.value };
        if (sender.isLate) return { ok: false, error: new NoAnswer(`no answer in ${withinMs} ms`) };
        return { ok: false, error: isAnswer(one.reason) ? one.reason : new ConnectionLost(explain(one.reason)) };
      });
    },
    close,
  };
  await sendSettings(connection, options.settings);
  return connection;
}

export function toRows(answer: Answer): Rows {
  if (!answer.ok) throw answer.error;
  return answer.rows;
}

/** For the whole session. */
async function sendSettings(connection: Connection, settings: ConnectionOptions['settings']): Promise<void> {
  const pairs = Object.entries(settings);
  if (pairs.length === 0) return;
  const calls = pairs.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`);
  const [answer] = await connection.send([{ sql: `SELECT ${calls.join(', ')}`, values: pairs.flat() }], SETTINGS_MS);
  if (answer?.ok) return;
  await connection.close();
  throw answer?.error;
}

function start(reserved: ReservedSQL, { sql, values = [], isScript }: Query) {
  return isScript ? reserved.unsafe<Rows>(sql).simple() : reserved.unsafe<Rows>(sql, [...values]);
}

function isAnswer(error: unknown): boolean {
  return sqlState(error) !== undefined && !isFarewell(error);
}
