// Whether something happened to one account or to several since some time. The last two accounts are enough for that, so
// it takes the same memory however many there are.

export class LastAccounts {
  #last: string | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** When it last happened to any other account than `#last`. */
  #otherAt = Number.NEGATIVE_INFINITY;
  /** When something last happened that concerns all. */
  #allAt = Number.NEGATIVE_INFINITY;

  /** Times must not go back. */
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

  /** The account, if it was the only one since then. */
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
