// Keeps the codes of recently issued cards, so that one page can show and the next print them. Only HMACs are stored;
// this is memory, bounded in number and time.

import { type Clock, MINUTE_MS } from '../../kit/clock.ts';

export interface IssuedCard {
  serial: string;
  code: string;
}

export interface CodeMemory {
  keep(batchId: string, cards: readonly IssuedCard[]): void;
  /** Undefined if they have expired or were issued elsewhere. */
  get(batchId: string): readonly IssuedCard[] | undefined;
}

const CODES_KEPT_MS = 15 * MINUTE_MS;
const MAX_BATCHES = 20;

export function createCodeMemory(clock: Clock): CodeMemory {
  const batches = new Map<string, readonly IssuedCard[]>();
  return {
    keep(batchId, cards) {
      const [oldest] = batches.keys();
      if (oldest !== undefined && batches.size >= MAX_BATCHES) batches.delete(oldest);
      batches.set(batchId, cards);
      clock.after(CODES_KEPT_MS, () => void batches.delete(batchId));
    },
    get: (batchId) => batches.get(batchId),
  };
}
