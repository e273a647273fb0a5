// Stop sequences of a client: as many as an upstream accepts are sent, the gateway matches the rest. That takes time with every
// delta, so their number and length are limited.

import { weighTokens } from '../../kit/tokens.ts';
import { refuseField, stringAt } from '../fields.ts';
import { type AnswerEvent, deltaOf, isPicture } from './answer-events.ts';
import type { Setting } from './conversation.ts';

const MAX_LOCAL = 32;
const MAX_CHARS = 1_000;

/** `isFit`: which the upstream takes at all. */
export function splitStops({ name, value }: Setting, mostTaken: number, isFit = (_: string) => true) {
  const list = Array.isArray(value) ? value : [value];
  const stops = list.map((stop) => stringAt(stop, name)).filter((stop) => stop !== '');
  const fit = stops.filter(isFit);
  const taken = fit.slice(0, mostTaken);
  const local = [...fit.slice(mostTaken), ...stops.filter((stop) => !isFit(stop))];
  if (local.length > MAX_LOCAL)
    refuseField(name, `${name} has too many sequences. Send at most ${taken.length + MAX_LOCAL}.`);
  if (local.some(({ length }) => length > MAX_CHARS)) {
    refuseField(name, `A sequence of ${name} is longer than ${MAX_CHARS} characters. Shorten it.`);
  }
  return { taken, local };
}

export interface StopMatcher {
  take(event: AnswerEvent): AnswerEvent[];
  /** Tokens of text that the upstream produced from the sequence on; undefined if none was met. */
  tokensAfterStop(): number | undefined;
}

const NO_STOPS: StopMatcher = { take: (event) => [event], tokensAfterStop: () => undefined };

/** The answer ends before the first of them, as it would have at an upstream that knew it. */
export function createStopMatcher(sequences: readonly string[]): StopMatcher {
  if (sequences.length === 0) return NO_STOPS;
  const longest = Math.max(...sequences.map(({ length }) => length));
  let isText = false;
  /** The end of the text so far: it may be the beginning of a sequence. */
  let kept = '';
  let tokensAfter: number | undefined;

  function takeText(text: string): AnswerEvent[] {
    const all = kept + text;
    const [first] = sequences
      .map((sequence) => ({ sequence, at: all.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      // The one that was complete first, as a model would have met it word by word.
      .sort((a, b) => a.at + a.sequence.length - b.at - b.sequence.length || a.at - b.at);
    if (first) {
      tokensAfter = weighTokens(all.slice(first.at));
      const before = all.slice(0, first.at);
      return [
        ...deltaOf(before),
        { type: 'close' },
        { type: 'stop', reason: 'end', sequence: first.sequence },
        { type: 'done' },
      ];
    }
    const safe = Math.max(0, all.length - longest + 1);
    kept = all.slice(safe);
    return deltaOf(all.slice(0, safe));
  }

  return {
    tokensAfterStop: () => tokensAfter,
    take(event) {
      if (tokensAfter !== undefined) {
        if (event.type === 'delta' && !isPicture(event)) tokensAfter += weighTokens(event.text);
        return [];
      }
      if (event.type === 'open') isText = event.block.kind === 'text';
      if (event.type === 'delta' && isText && !isPicture(event)) return takeText(event.text);
      // A sequence never continues after the end of the text or after an image.
      if ((event.type !== 'close' && !isPicture(event)) || kept === '') return [event];
      const rest = kept;
      kept = '';
      return [...deltaOf(rest), event];
    },
  };
}
