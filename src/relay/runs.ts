// The runs of a streamed answer: one upstream's part each. A stream that was resumed has several.

import type { StreamReader } from '../dialects/dialect.ts';
import type { Step } from './plan.ts';

/** One upstream's part in a stream. */
export interface Run {
  step: Step;
  reader: StreamReader;
  /** What it was given as the beginning of its answer; undefined if it answered from the start. */
  prefilledTokens: number | undefined;
  /** What it may have reasoned unseen, once it is known that nobody pays for it. */
  unseenTokens?: number;
}

export type Runs = readonly [Run, ...Run[]];

/** The one that brought the answer to its end, or as far as it came. */
export function lastOf(runs: Runs): Run {
  return runs.at(-1) ?? runs[0];
}
