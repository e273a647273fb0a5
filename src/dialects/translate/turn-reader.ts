// How the turns of a whole answer are read that its upstream paused.

import type { PausedTurn } from '../dialect.ts';

export interface WholeTurn {
  /** The turn as the text of a stream. Those of several turns one after the other are the stream of the whole answer. */
  stream: string;
  /** Undefined if it is not paused, or cannot be continued. */
  paused: PausedTurn | undefined;
}

export interface TurnReader {
  /** False for most answers, which need not be read twice. */
  mayBePaused(text: string): boolean;
  /** Undefined if it is no answer. */
  readTurn(text: string): WholeTurn | undefined;
}
