// Settings that are numbers in every dialect: whatever else stands there is told to the client, not dropped.

import { refuseField } from '../fields.ts';
import type { Knob, KnobKind } from './conversation.ts';

const NUMBERS: ReadonlySet<KnobKind> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'top_logprobs',
]);

/** Throws a fault that names the first of them. */
export function checkKnobs(knobs: readonly Knob[]): void {
  for (const { kind, name, value } of knobs) {
    if (NUMBERS.has(kind) && typeof value !== 'number') refuseField(name, `${name} must be a number.`);
  }
}
