// One connection, on which several statements are sent at once and answered in order. Every statement gets an answer: if the
// first one in line exceeds its time limit, the connection is closed, and all statements on it fail.

import { type ReservedSQL, SQL } from 'bun';
import type { Clock } from '../../kit/clock.ts';
import {
  ConnectionLost,
  explain,
  HandshakeFailed,
  isHandshakeError,
  isShutdown,
  NoAnswer,
  sqlState,
} from './errors.ts';

export interface Query {
  sql: string;
  values?: readonly unknown[];
  /** Several statements, without values. */
  isScript?: true;
}

export interface Rows extends Array<Readonly<Record<string, unknown>>> {
  /** The command tag of the server: COMMIT may be answered with ROLLBACK. */
  command: string;
}

export type Answer = { ok: true; rows: Rows } | { ok: false; error: unknown };

export interface Connection {
  readonly isOpen: boolean;
  /**
   * Answers every query. An error other than NoAnswer is from the server. The time limit begins when everything sent before
   * was answered. Queries behind one that exceeded its limit get a ConnectionLost.
   */
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

/** Only the name is sent in the startup packet: poolers refuse other settings there, or ignore them. */
function createClient({ url, settings, onLost }: ConnectionOptions): SQL {
  const { pathname, username } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username);
  const { application_name } = settings;
  return new SQL(url, {
    max: 1,
    bigint: true,
    connectionTimeout: CONNECT_TIMEOUT_S,
    ...(application_name === undefined ? {} : { connection: { application_name } }),
    // Set explicitly, because PGDATABASE would otherwise override the URL.
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
    if (isHandshakeError(error)) throw new HandshakeFailed(why);
    throw isShutdown(error) ? new ConnectionLost(why) : new NoAnswer(why);
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

/** The rows of one query, or what it failed with. */
export async function askOn(connection: Connection, query: Query, withinMs: number): Promise<Rows> {
  const [answer = { ok: false, error: new NoAnswer('no answer') }] = await connection.send([query], withinMs);
  return toRows(answer);
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
  return sqlState(error) !== undefined && !isShutdown(error);
}
