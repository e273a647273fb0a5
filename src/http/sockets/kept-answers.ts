// The last answer of each stream of a socket, with the conversation before it, so that the next message can refer to it by id
// and send only what is new. It is kept in memory until the socket closes. If the limit is reached, it is not kept, and the
// client must send the whole conversation again.

import { addTo } from '../../kit/tally.ts';
import { MAX_NAMES } from './turn-queues.ts';

/** A longer conversation does not fit into a request. */
export const MAX_KEPT_CHARS = 20 * 1024 * 1024;
/** One of each stream: those with a name, and the one without. */
export const MAX_KEPT = MAX_NAMES + 1;

/** The most that one account may use of it. */
const ACCOUNT_SHARE = 0.25;

/** Limit for all sockets of this process together. */
export class KeptMemory {
  readonly #maxChars: number;
  readonly #byAccount = new Map<string, number>();
  #chars = 0;

  constructor(maxChars = 256 * 1024 * 1024) {
    this.#maxChars = maxChars;
  }

  canKeep(accountId: string, chars: number): boolean {
    const own = (this.#byAccount.get(accountId) ?? 0) + chars;
    return own <= this.#maxChars * ACCOUNT_SHARE && this.#chars + chars <= this.#maxChars;
  }

  count(accountId: string, chars: number): void {
    this.#chars += chars;
    addTo(this.#byAccount, accountId, chars);
  }
}

interface Kept {
  streamId: string | undefined;
  /** Items of the conversation, each as JSON, joined by commas. */
  items: string;
}

export class KeptAnswers {
  readonly #memory: KeptMemory;
  readonly #accountId: string;
  /** By the answer's id, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  constructor(memory: KeptMemory, accountId: string) {
    this.#memory = memory;
    this.#accountId = accountId;
  }

  find(id: string): string | undefined {
    return this.#kept.get(id)?.items;
  }

  /** In place of the last one of the same stream. */
  keep(id: string, kept: Kept): void {
    for (const [other, { streamId }] of this.#kept) {
      if (streamId === kept.streamId || other === id) this.#forget(other);
    }
    const { length } = kept.items;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MAX_KEPT && this.#chars + length <= MAX_KEPT_CHARS) break;
      this.#forget(oldest);
    }
    if (length > MAX_KEPT_CHARS || !this.#memory.canKeep(this.#accountId, length)) return;
    this.#kept.set(id, kept);
    this.#count(length);
  }

  clear(): void {
    this.#kept.clear();
    this.#count(-this.#chars);
  }

  #forget(id: string): void {
    this.#count(-(this.#kept.get(id)?.items.length ?? 0));
    this.#kept.delete(id);
  }

  #count(chars: number): void {
    this.#chars += chars;
    this.#memory.count(this.#accountId, chars);
  }
}
