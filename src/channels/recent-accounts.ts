// Which accounts an event just affected, in constant memory.

const MAX_ACCOUNTS = 64;

/** The last few dozen accounts with a recent event. */
export class RecentAccounts {
  readonly #ms: number;
  /** By account, the latest last. */
  readonly #times = new Map<string, number>();

  /** `ms`: how long an account is kept. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  note(account: string, at: number): void {
    this.#times.delete(account);
    this.#times.set(account, at);
    if (this.#times.size <= MAX_ACCOUNTS) return;
    const [oldest = account] = this.#times.keys();
    this.#times.delete(oldest);
  }

  has(account: string, now: number): boolean {
    const at = this.#times.get(account);
    return at !== undefined && now - at < this.#ms;
  }

  /** Whether it contains an account that `other` does not. */
  hasOtherThan(other: RecentAccounts, now: number): boolean {
    return this.#times.keys().some((account) => this.has(account, now) && !other.has(account, now));
  }
}

/** Whether an event since some time affected one account or several: keeping the last two accounts is enough. */
export class LastAccounts {
  #last: string | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Last time for any account other than `#last`. */
  #otherAt = Number.NEGATIVE_INFINITY;
  /** Last event that concerns all accounts. */
  #allAt = Number.NEGATIVE_INFINITY;

  /** Times must not decrease. */
  note(account: string, at: number): void {
    if (account !== this.#last) this.#otherAt = this.#lastAt;
    this.#last = account;
    this.#lastAt = at;
  }

  noteAll(at: number): void {
    this.#allAt = at;
  }

  areSeveralSince(since: number): boolean {
    const at = Math.max(this.#otherAt, this.#allAt);
    return at >= since && at > Number.NEGATIVE_INFINITY;
  }

  concernsAllSince(since: number): boolean {
    return this.#allAt >= since && this.#allAt > Number.NEGATIVE_INFINITY;
  }

  /** The account, if it is the only one since then. */
  onlySince(since: number): string | undefined {
    return this.areSeveralSince(since) ? undefined : this.#last;
  }

  clear(): void {
    this.#last = undefined;
    this.#lastAt = Number.NEGATIVE_INFINITY;
    this.#otherAt = Number.NEGATIVE_INFINITY;
    this.#allAt = Number.NEGATIVE_INFINITY;
  }
}
