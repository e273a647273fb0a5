// The open WebSockets of this process: how many a key, an account and all may have, what they may keep together, and their
// end when the server drains.

import type { PresentedKey } from '../../accounts/keys/authenticator.ts';
import { fault } from '../../faults/fault.ts';
import { addTo } from '../../kit/tally.ts';
import { KeptMemory } from './kept-answers.ts';

/**
 * The server buffers up to 20 MiB of a message before any code here sees it, even if the message never ends. So only the
 * number of sockets bounds that memory.
 */
export const MAX_SOCKETS = { key: 8, account: 16, process: 500 };

interface OpenSocket {
  /** Takes no new turn, and closes when those that run have ended. */
  drain(): void;
}

export class OpenSockets {
  readonly memory = new KeptMemory();
  readonly #open = new Set<OpenSocket>();
  readonly #counts = new Map<string, number>();

  /** Throws too_many_in_flight or unavailable; the returned function removes the socket. */
  add(socket: OpenSocket, { keyId, accountId }: Pick<PresentedKey, 'keyId' | 'accountId'>): () => void {
    this.#check(keyId, MAX_SOCKETS.key, 'key');
    this.#check(accountId, MAX_SOCKETS.account, 'account');
    if (this.#open.size >= MAX_SOCKETS.process) throw fault('unavailable', { internal: 'too many WebSockets' });
    this.#open.add(socket);
    addTo(this.#counts, keyId, 1);
    addTo(this.#counts, accountId, 1);
    return () => {
      if (!this.#open.delete(socket)) return;
      addTo(this.#counts, keyId, -1);
      addTo(this.#counts, accountId, -1);
    };
  }

  drain(): void {
    for (const socket of this.#open) socket.drain();
  }

  get size(): number {
    return this.#open.size;
  }

  #check(id: string, limit: number, whose: string): void {
    const used = this.#counts.get(id) ?? 0;
    if (used < limit) return;
    const message = `This ${whose} has ${limit} WebSockets open. Close one first.`;
    throw fault('too_many_in_flight', { message, figures: { limit, used } });
  }
}
