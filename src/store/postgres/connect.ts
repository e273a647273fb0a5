// Opens connections to the database. Of several servers it uses the primary: after a promotion the new one, and never again
// one that was the primary before it.

import type { Clock } from '../../kit/clock.ts';
import { readDatabaseUrls } from '../database-url.ts';
import { askOn, type Connection, openConnection } from './connection.ts';
import { explain, isTransient, NoAnswer } from './errors.ts';

/** Rejects with the server's error, or with NoAnswer. */
export type Connect = (settings: Readonly<Record<string, string>>, onLost?: () => void) => Promise<Connection>;

interface Primary {
  url: string;
  timeline: number;
}

type Probe = { primary: Primary } | { error: unknown };

const ASK_MS = 2_000;
const PROBE_SETTINGS = { application_name: 'ai-gateway search' };
/** A promotion begins a new timeline; its number is the first part of the name of the file that is written to. */
const ROLE = `SELECT CASE WHEN NOT pg_is_in_recovery()
  THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;

export function createConnect(url: string, clock: Clock): Connect {
  const urls = readDatabaseUrls(url) ?? [url];
  const open = (one: string, settings: Readonly<Record<string, string>>, onLost?: () => void) =>
    openConnection({ url: one, settings, ...(onLost ? { onLost } : {}) }, clock);
  const [only] = urls;
  if (only !== undefined && urls.length === 1) return (settings, onLost) => open(only, settings, onLost);

  let known: Primary | undefined;
  let newestTimeline = 0;
  let search: Promise<Primary> | undefined;
  /** By connection, the server. */
  const opened = new Map<Connection, string>();

  async function openPrimary(one: string, settings: Readonly<Record<string, string>>, onLost?: () => void) {
    const connection = await open(one, settings, onLost);
    try {
      const primary = { url: one, timeline: await askTimeline(connection) };
      if (primary.timeline < newestTimeline) {
        throw new NoAnswer(`an earlier primary (timeline ${primary.timeline}, the newest is ${newestTimeline})`);
      }
      return { connection, primary };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async function probe(one: string): Promise<Probe> {
    try {
      const { connection, primary } = await openPrimary(one, PROBE_SETTINGS);
      await connection.close();
      return { primary };
    } catch (error) {
      return { error };
    }
  }

  /** Asks every server. A server with a newer timeline than any before is the primary; then the others are not awaited. */
  async function findPrimary(): Promise<Primary> {
    const isFirst = newestTimeline === 0;
    const probes = urls.map(probe);
    const newer = probes.map(async (one) => {
      const found = await one;
      if (isFirst || !('primary' in found) || found.primary.timeline <= newestTimeline) throw new NoAnswer('not newer');
      return found.primary;
    });
    const primary = (await Promise.any(newer).catch(() => undefined)) ?? newestOf(await Promise.all(probes), urls);
    newestTimeline = primary.timeline;
    closeOthers(primary.url);
    return primary;
  }

  /** An old primary that was frozen and resumes would still accept commits on its connections. */
  function closeOthers(current: string): void {
    for (const [connection, one] of opened) if (one !== current) void connection.close();
  }

  function keep(connection: Connection, one: string): Connection {
    for (const other of opened.keys()) if (!other.isOpen) opened.delete(other);
    opened.set(connection, one);
    return connection;
  }

  async function searchOnce(): Promise<Primary> {
    search ??= findPrimary().finally(() => {
      search = undefined;
    });
    return search;
  }

  return async (settings, onLost) => {
    const before = known;
    if (before) {
      const found = await openPrimary(before.url, settings, onLost).catch(() => undefined);
      if (found) return keep(found.connection, before.url);
      if (known === before) known = undefined;
    }
    known ??= await searchOnce();
    const { url: current } = known;
    return keep((await openPrimary(current, settings, onLost)).connection, current);
  };
}

/** Rejects with NoAnswer if the server is a standby. */
async function askTimeline(connection: Connection): Promise<number> {
  const [row] = await askOn(connection, { sql: ROLE }, ASK_MS);
  const timeline = row?.timeline;
  if (timeline === null || timeline === undefined) throw new NoAnswer('a standby');
  return Number(timeline);
}

function newestOf(probes: readonly Probe[], urls: readonly string[]): Primary {
  const primaries = probes.flatMap((one) => ('primary' in one ? [one.primary] : []));
  const newest = primaries.toSorted((a, b) => b.timeline - a.timeline)[0];
  if (newest) return newest;
  const errors = probes.flatMap((one) => ('error' in one ? [one.error] : []));
  if (errors.every((error) => !isTransient(error))) throw errors[0];
  const answers = errors.map((error, index) => `${new URL(urls[index] ?? '').host}: ${explain(error)}`);
  throw new NoAnswer(`no primary among the servers (${answers.join('; ')})`);
}
