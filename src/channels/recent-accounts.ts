// Accounts to which something happened a moment ago; at most a few dozen of them, the latest.

const MOST = 64;

export class RecentAccounts {
  readonly #ms: number;
  /** By account, the latest last. */
  readonly #times = new Map<string, number>();

  /** They are forgotten after so long. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  note(account: string, at: number): void {
    this.#times.delete(account);
    this.#times.set(account, at);
    if (this.#times.size <= MOST) return;
    const [oldest = account] = this.#times.keys();
    this.#times.delete(oldest);
  }

  has(account: string, now: number): boolean {
    const at = this.#times.get(account);
    return at !== undefined && now - at < this.#ms;
  }

  /** Whether it has one that the other has not. */
  hasOtherThan(other: RecentAccounts, now: number): boolean {
    return this.#times.keys().some((account) => this.has(account, now) && !other.has(account, now));
  }
}
