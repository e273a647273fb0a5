// The runs of a streamed answer: the part of one upstream each. A resumed stream has several.

import type { StreamReader } from '../dialects/dialect.ts';
import type { Step } from './plan.ts';

/** One upstream's part in a stream. */
export interface Run {
  step: Step;
  reader: StreamReader;
  /** Tokens of its prefill; undefined if it answered from the start. */
  prefilledTokens: number | undefined;
  /** Hidden reasoning that it may have produced; set once the customer will not pay for it. */
  unseenTokens?: number;
}

export type Runs = readonly [Run, ...Run[]];

/** The run that ended the answer, or was the last to try. */
export function lastOf(runs: Runs): Run {
  return runs.at(-1) ?? runs[0];
}
