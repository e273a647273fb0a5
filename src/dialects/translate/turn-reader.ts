// How the turns of a whole answer are read that its upstream paused.

import type { PausedTurn } from '../dialect.ts';

/** Answers are given as their texts. */
export interface TurnReader {
  /** Undefined if the answer is not paused, or cannot be continued. */
  readPaused(text: string): PausedTurn | undefined;
  /** The answer that several turns are together; undefined if the last one is no answer. */
  joinTurns(texts: readonly string[]): string | undefined;
}
