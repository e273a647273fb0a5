// A task that one node at a time does. Its holder changes a row of the database every few seconds. Another node takes over if
// the row stays the same for long enough in its own time, or at once if the holder was a process of the same host that is
// gone. Wall clocks of two machines are never compared. For a moment two nodes may believe that they hold a role, so it suits
// only tasks that may be done twice.

import { type Clock, every } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';
import type { Node } from './keep-lease.ts';

const RENEW_MS = 3_000;
/** How long a holder believes in a renewal. */
const HELD_MS = 10_000;
/** Another node waits longer than that. */
const SILENT_MS = 15_000;

export type Role = Awaited<ReturnType<typeof holdRole>>;

interface RoleTools {
  store: Store;
  clock: Clock;
  log: Log;
  node: Node;
  /** All nodes are processes of one machine: a holder keeps the role through failed renewals, until another has taken it. */
  isOneMachine: boolean;
  isProcessAlive(pid: number): boolean;
}

const FREE = '';

export async function holdRole(name: `role:${string}`, tools: RoleTools) {
  const { store, clock, log, node, isOneMachine } = tools;
  const heldMs = isOneMachine ? Number.POSITIVE_INFINITY : HELD_MS;
  let heldUntil = Number.NEGATIVE_INFINITY;
  /** The last value written by this node; undefined if it does not hold the role. */
  let own: string | undefined;
  let seen: { value: string | null; since: number } | undefined;
  let count = 0;

  async function take(expects: string | null): Promise<void> {
    const begunAt = clock.monotonic();
    const value = `${++count} ${node.pid} ${node.host}`;
    const { isTaken } = await store.commit('takeRole', { name, expects, value });
    own = isTaken ? value : undefined;
    heldUntil = isTaken ? begunAt + heldMs : Number.NEGATIVE_INFINITY;
  }

  async function renew(): Promise<void> {
    if (own !== undefined) return take(own);
    const value = (await store.read.role(name)) ?? null;
    const now = clock.monotonic();
    if (value !== null && value !== FREE && !isOf(value, node)) heldUntil = Number.NEGATIVE_INFINITY;
    if (value === null || value === FREE || isGone(value, tools)) return take(value);
    if (seen?.value !== value) seen = { value, since: now };
    else if (now - seen.since >= SILENT_MS) await take(value);
  }

  const tryRenew = () =>
    renew().catch((error: unknown) => {
      // It is unknown whether the row was written, so it is read.
      own = undefined;
      log('warn', 'role_not_renewed', { code: name, detail: describeError(error) });
    });
  await tryRenew();
  const stop = every(clock, RENEW_MS, tryRenew, { isFromStart: true });
  return {
    isHeld: () => clock.monotonic() < heldUntil,
    stop,
    /** Gives it up, so that another node can take it at once. */
    async end(): Promise<void> {
      const held = own;
      own = undefined;
      heldUntil = Number.NEGATIVE_INFINITY;
      if (held !== undefined) await store.commit('takeRole', { name, expects: held, value: FREE }).catch(() => {});
    },
  };
}

/** The holder was a process of this host that has ended, or one before this with the same number. */
function isGone(value: string, { node, isProcessAlive }: RoleTools): boolean {
  const [pid, host] = holderIn(value);
  return host === node.host && (pid === node.pid || !isProcessAlive(pid));
}

function isOf(value: string, node: Node): boolean {
  const [pid, host] = holderIn(value);
  return pid === node.pid && host === node.host;
}

function holderIn(value: string): [pid: number, host: string] {
  const [, pid, ...host] = value.split(' ');
  return [Number(pid), host.join(' ')];
}
