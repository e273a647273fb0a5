// How many streams of clients that left are being read to their report: a bound for all, and one for each account.

const MAX_READING_ON = 64;
const MAX_OF_ACCOUNT = 16;

export class ReadingOn {
  readonly #byAccount = new Map<string, number>();
  #count = 0;

  /** False if there are too many, in all or of this account. */
  tryAcquire(accountId: string): boolean {
    const own = this.#byAccount.get(accountId) ?? 0;
    if (this.#count >= MAX_READING_ON || own >= MAX_OF_ACCOUNT) return false;
    this.#count++;
    this.#byAccount.set(accountId, own + 1);
    return true;
  }

  release(accountId: string): void {
    const own = this.#byAccount.get(accountId) ?? 1;
    this.#count--;
    if (own > 1) this.#byAccount.set(accountId, own - 1);
    else this.#byAccount.delete(accountId);
  }
}
