// Stop sequences of a client: as many as an upstream takes go there, the rest is watched for here. That takes time with
// every word of an answer, so it has its bounds.

import { refuseField, stringAt } from '../fields.ts';
import type { Knob } from './conversation.ts';

const MOST_LOCAL = 32;
const MOST_CHARS = 1_000;

export interface StopSequences {
  taken: string[];
  local: string[];
}

/** `isFit`: which the upstream takes at all. */
export function splitStops({ name, value }: Knob, mostTaken: number, isFit = (_: string) => true): StopSequences {
  const list = Array.isArray(value) ? value : [value];
  const stops = list.map((stop) => stringAt(stop, name)).filter((stop) => stop !== '');
  const fit = stops.filter(isFit);
  const taken = fit.slice(0, mostTaken);
  const local = [...fit.slice(mostTaken), ...stops.filter((stop) => !isFit(stop))];
  if (local.length > MOST_LOCAL) refuseField(name, `Set ${name} to at most ${taken.length + MOST_LOCAL} sequences.`);
  if (local.some(({ length }) => length > MOST_CHARS)) {
    refuseField(name, `Make every sequence of ${name} at most ${MOST_CHARS} characters long.`);
  }
  return { taken, local };
}
