// The last few dozen accounts with a recent event.

const MAX_ACCOUNTS = 64;

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
