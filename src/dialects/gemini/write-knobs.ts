// Settings that change how a model answers: carried where it takes them, told where it does not.

import type { Json, JsonObject } from '../../kit/json.ts';
import { refuseField } from '../fields.ts';
import type { Knob } from '../translate/conversation.ts';
import type { GeminiTraits } from './gemini-traits.ts';

export interface WrittenKnobs {
  /** For `generationConfig`. */
  config: JsonObject;
  dropped: string[];
  /** Stop sequences beyond those that the vendor takes. */
  localStops: string[];
}

const MOST_STOPS = 5;
const MOST_SEED = 2 ** 31;

export function writeKnobs(knobs: readonly Knob[], traits: GeminiTraits): WrittenKnobs {
  const written: WrittenKnobs = { config: {}, dropped: [], localStops: [] };
  for (const knob of knobs) {
    if (knob.kind === 'stop') takeStops(knob.value, written);
    else if (knob.kind === 'choices') requireOne(knob);
    else {
      const member = memberOf(knob, traits);
      if (member === undefined) written.dropped.push(knob.name);
      else Object.assign(written.config, member);
    }
  }
  return written;
}

/** Undefined: this model cannot be given it. */
function memberOf({ kind, value }: Knob, { takesPenalties }: GeminiTraits): JsonObject | undefined {
  if (typeof value !== 'number') return undefined;
  switch (kind) {
    case 'temperature':
      return { temperature: value };
    case 'top_p':
      return { topP: value };
    case 'top_k':
      return { topK: value };
    case 'seed':
      return Number.isInteger(value) && Math.abs(value) < MOST_SEED ? { seed: value } : undefined;
    case 'frequency_penalty':
      return takesPenalties ? { frequencyPenalty: value } : undefined;
    case 'presence_penalty':
      return takesPenalties ? { presencePenalty: value } : undefined;
    default:
      return undefined;
  }
}

function takeStops(value: Json, written: WrittenKnobs): void {
  const all = (Array.isArray(value) ? value : [value]).filter((stop) => typeof stop === 'string');
  const stops = all.filter((stop) => stop !== '');
  if (stops.length > 0) written.config.stopSequences = stops.slice(0, MOST_STOPS);
  written.localStops = stops.slice(MOST_STOPS);
}

function requireOne({ name, value }: Knob): void {
  if (value !== 1) refuseField(name, `Set ${name} to 1, and send the request again for each further answer.`);
}
