// The codes of cards that were issued a moment ago, so that one page can show them and the next print them. Only HMACs are
// stored; this is memory, bounded in number and time.

import type { Clock } from '../kit/clock.ts';

export interface IssuedCard {
  serial: string;
  code: string;
}

export interface CodeMemory {
  keep(batchId: string, cards: readonly IssuedCard[]): void;
  /** Undefined when they are forgotten, or were issued elsewhere. */
  get(batchId: string): readonly IssuedCard[] | undefined;
}

export function createCodeMemory(clock: Clock): CodeMemory {
  throw new Error('not yet');
}
