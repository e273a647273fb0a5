// Limits how many streams are read to their end after the client left, in all and for each account.

const MAX_STREAMS = 64;
const MAX_OF_ACCOUNT = 16;

export class ReadToEndLimit {
  readonly #byAccount = new Map<string, number>();
  #count = 0;

  tryAcquire(accountId: string): boolean {
    const own = this.#byAccount.get(accountId) ?? 0;
    if (this.#count >= MAX_STREAMS || own >= MAX_OF_ACCOUNT) return false;
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
