// Recent response times of a route: time to first token of streams, by input size, and total time of other answers, by
// the requested output limit. They define when an answer is late.

import { PairMap } from './pair-map.ts';

export interface AnswerSize {
  kind: 'first_token' | 'whole';
  /** Input tokens for a first token, the output limit for a whole answer. */
  tokens: number;
}

/** Distinguishes one slow answer from a slow route. */
const MIN_KNOWN = 5;
const MAX_KNOWN = 32;
/** The median is recomputed after this many answers. */
const COUNTED_EVERY = 4;
/** Upper bounds of the size classes. */
const SIZES = [1_000, 4_000, 16_000, 64_000];

export type AnswerTimes = ReturnType<typeof createAnswerTimes>;

export function createAnswerTimes() {
  /** By size class. */
  const routes = new PairMap<Map<number, LastTimes>>();
  return {
    note(channel: string, model: string, answer: AnswerSize, ms: number): void {
      const alike = sizeClassOf(answer);
      const ofRoute = routes.get(channel, model);
      const known = ofRoute?.get(alike);
      if (known) known.add(ms);
      else if (ofRoute) ofRoute.set(alike, new LastTimes(ms));
      else routes.set(channel, model, new Map([[alike, new LastTimes(ms)]]));
    },
    /** The median of recent answers of that size; undefined while there are too few. */
    median: (channel: string, model: string, answer: AnswerSize) =>
      routes.get(channel, model)?.get(sizeClassOf(answer))?.median(),
  };
}

function sizeClassOf({ kind, tokens }: AnswerSize): number {
  let size = 0;
  for (const most of SIZES) if (tokens > most) size++;
  return kind === 'whole' ? size : -1 - size;
}

class LastTimes {
  readonly #times: number[];
  #next = 1;
  #median: number | undefined;

  constructor(ms: number) {
    this.#times = [ms];
  }

  add(ms: number): void {
    this.#times[this.#next] = ms;
    this.#next = (this.#next + 1) % MAX_KNOWN;
    if (this.#next % COUNTED_EVERY === 0) this.#median = undefined;
  }

  median(): number | undefined {
    if (this.#times.length < MIN_KNOWN) return undefined;
    this.#median ??= Float64Array.from(this.#times).sort()[this.#times.length >> 1];
    return this.#median;
  }
}
