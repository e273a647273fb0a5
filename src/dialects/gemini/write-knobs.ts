// Settings that change how a model answers: carried where it takes them, told where it does not.

import type { JsonObject } from '../../kit/json/json.ts';
import type { GeminiTraits } from '../../vendors/gemini.ts';
import type { Knob } from '../translate/conversation.ts';
import { requireOneAnswer } from '../translate/one-answer.ts';
import { splitStops } from '../translate/stop-sequences.ts';

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
    if (knob.kind === 'stop') takeStops(knob, written);
    else if (knob.kind === 'choices') requireOneAnswer(knob);
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

function takeStops(knob: Knob, written: WrittenKnobs): void {
  const { taken, local } = splitStops(knob, MOST_STOPS);
  if (taken.length > 0) written.config.stopSequences = taken;
  written.localStops = local;
}
