// What a socket remembers: of each of its streams the last answer with all that came before it, so that the next message can
// refer to it by id and send only what is new. It is in memory only, and ends with the socket. Where there is no room it is
// not kept, and the client sends the whole conversation again.

/** A longer conversation does not fit into a request. */
export const MAX_KEPT_CHARS = 20 * 1024 * 1024;
export const MAX_KEPT = 8;

/** What all sockets of this process may keep together. */
export class KeptMemory {
  readonly maxChars: number;
  chars = 0;

  constructor(maxChars = 256 * 1024 * 1024) {
    this.maxChars = maxChars;
  }
}

interface Kept {
  streamId: string | undefined;
  /** Items of the conversation, each as JSON, joined by commas. */
  items: string;
}

export class KeptAnswers {
  readonly #memory: KeptMemory;
  /** By the answer's id, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  constructor(memory: KeptMemory) {
    this.#memory = memory;
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
    if (length > MAX_KEPT_CHARS || this.#memory.chars + length > this.#memory.maxChars) return;
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
    this.#memory.chars += chars;
  }
}
