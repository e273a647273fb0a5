// Converts the stop reason of an Anthropic answer to that of answer events.

import { isObject, type JsonObject } from '../../../kit/json/json.ts';
import type { AnswerEvent, StopReason } from '../../translate/answer-events.ts';
import { vendorRefusal } from '../../translate/vendor-refusal.ts';

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool'],
  ['refusal', 'filter'],
]);

interface Shown {
  hasCalls: boolean;
  hasText: boolean;
}

/** Undefined if the answer is incomplete, which includes a pause that is not continued. */
export function readStop(
  { stop_reason: given, stop_sequence: sequence, stop_details: details }: JsonObject,
  { hasCalls, hasText }: Shown,
): AnswerEvent[] | undefined {
  if (given === 'pause_turn') {
    if (!hasCalls && !hasText) return undefined;
    return [{ type: 'stop', reason: hasCalls ? 'tool' : 'length' }];
  }
  if (given === 'stop_sequence' && typeof sequence === 'string') return [{ type: 'stop', reason: 'end', sequence }];
  const reason = REASONS.get(String(given)) ?? 'end';
  // `tool` without a call would make clients wait forever.
  const isCall = reason === 'tool' || reason === 'end';
  return [...refusal(details), { type: 'stop', reason: isCall ? (hasCalls ? 'tool' : 'end') : reason }];
}

function refusal(details: JsonObject[string]): AnswerEvent[] {
  if (!isObject(details)) return [];
  const { explanation, category } = details;
  if (typeof explanation === 'string' && explanation !== '') return vendorRefusal(explanation);
  return vendorRefusal(typeof category === 'string' ? `Refused by the model's provider: ${category}.` : undefined);
}
