// Whether an event since some time affected one account or several. Keeping the last two accounts is enough, so memory is
// constant.

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
