// The limits per minute of accounts and keys, counted a second time: by the admissions that the database has committed, with all
// their times in a list. No window may hold more than the limit, and no call may be refused while the limit leaves room.

import type { Database } from 'bun:sqlite';
import { MINUTE_MS } from '../../src/kit/clock.ts';
import type { AdmitInput, AdmitResult } from '../../src/store/operations.ts';
import { textToSlots } from '../../src/store/slots-text.ts';
import { type Committed, type CommitWatch, closeIn } from './commit-watch.ts';
import { LIMITS } from './document.ts';
import type { Violation } from './violation.ts';

interface Window {
  name: string;
  limit: number;
  /** A slot counts up to so much longer (docs: limits). */
  grainMs: number;
}

interface Slot {
  windows: readonly string[];
  at: number;
}

interface Key {
  parentId: string | null;
  perMinute: number | undefined;
}

const GRAIN_MS = 1_000;

export class MinuteLimits implements CommitWatch {
  readonly violations: Violation[] = [];
  readonly reached = { 'calls refused for the rate of a key': 0 };
  /** Refused too early by the clock of the node: only a problem if no clock was set. */
  readonly refusedEarly: string[] = [];
  /** Slots that are taken, by request. */
  readonly #slots = new Map<string, Slot>();
  readonly #open = new Set<string>();
  readonly #keys = new Map<string, Key>();

  committed(operation: Committed): void {
    const { name, input, result } = operation;
    if (name === 'createKey' && result.ok) {
      const { keyId, parentId, limits } = input.key;
      this.#keys.set(keyId, { parentId, perMinute: limits.requestsPerMinute });
    } else if (name === 'admit') this.#admit(input, result);
    const closed = closeIn(operation);
    if (!closed) return;
    const wasOpen = this.#open.delete(closed.requestId);
    if (wasOpen && closed.givesBack) this.#slots.delete(closed.requestId);
  }

  #admit(input: AdmitInput, result: AdmitResult): void {
    const { requestId, at } = input;
    if (result.ok) {
      const windows = this.#windowsOf(input);
      this.#slots.set(requestId, { windows: windows.map(({ name }) => name), at });
      this.#open.add(requestId);
      for (const window of windows) this.#check(window, at);
    } else if (result.reason === 'rate_limited' || result.reason === 'free_minute_limit') {
      const ofKey = result.reason === 'rate_limited' ? result.ofKey : undefined;
      if (ofKey) this.reached['calls refused for the rate of a key']++;
      const isReached = ({ name }: Window) => name === (ofKey ? `key ${ofKey.keyId}` : ofAccount(input).name);
      const window = this.#windowsOf(input).find(isReached);
      const used = window && this.#timesOf(window).filter((time) => time > at - MINUTE_MS - window.grainMs).length;
      if (window && used !== undefined && used >= window.limit) return;
      this.refusedEarly.push(`${window?.name}: refused at ${at} with ${used} calls of ${window?.limit}`);
    }
  }

  /** Of the newest minute of each window of paid calls: slots in the tables that nobody has, or the reverse. */
  findMiscounted(db: Database): string[] {
    const rows = db.query<{ window_id: string; slots: string }, []>(
      "SELECT window_id, slots FROM windows WHERE window_id LIKE 'paid:%' OR window_id LIKE 'key-requests:%'",
    );
    return rows.all().flatMap(({ window_id: id, slots: text }) => {
      const slots = textToSlots(text);
      const newest = slots.at(-1)?.[0] ?? 0;
      const times = this.#timesOf({ name: id.replace('key-requests:', 'key ').replace(':', ' ') });
      const kept = slots.filter(([at]) => at > newest - MINUTE_MS).reduce((sum, [, count]) => sum + count, 0);
      const taken = times
        .map((at) => Math.ceil(at / GRAIN_MS) * GRAIN_MS)
        .filter((at) => at > newest - MINUTE_MS && at <= newest);
      return kept === taken.length
        ? []
        : [`${id}: ${taken.length} in the minute before ${newest}, and the tables have ${kept}`];
    });
  }

  /** Slow nodes commit later than others: the minute that ends with a later call has this one in it, too. */
  #check(window: Window, at: number): void {
    const times = this.#timesOf(window);
    for (const end of times.filter((time) => time >= at && time < at + MINUTE_MS)) {
      const used = times.filter((time) => time > end - MINUTE_MS && time <= end).length;
      if (used <= window.limit) continue;
      const detail = `${window.name}: ${used} calls in the minute before ${end}, of ${window.limit}`;
      this.violations.push({ invariant: 'no account and no key has more calls in a minute than it may', detail });
    }
  }

  #windowsOf(input: AdmitInput): Window[] {
    const windows = [ofAccount(input)];
    for (let id: string | null = input.keyId; id !== null; ) {
      const key: Key | undefined = this.#keys.get(id);
      if (key?.perMinute !== undefined) windows.push({ name: `key ${id}`, limit: key.perMinute, grainMs: GRAIN_MS });
      id = key?.parentId ?? null;
    }
    return windows;
  }

  #timesOf({ name }: Pick<Window, 'name'>): number[] {
    return [...this.#slots.values()].filter(({ windows }) => windows.includes(name)).map(({ at }) => at);
  }
}

function ofAccount({ accountId, charge: { free } }: AdmitInput): Window {
  return free
    ? { name: `free ${accountId}`, limit: LIMITS.free_per_minute, grainMs: 0 }
    : { name: `paid ${accountId}`, limit: LIMITS.paid_per_minute, grainMs: GRAIN_MS };
}
