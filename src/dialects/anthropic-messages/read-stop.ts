// Why an Anthropic answer ended, in words of no dialect.

import { isObject, type JsonObject } from '../../kit/json.ts';
import type { AnswerEvent, StopReason } from '../translate/answer-events.ts';

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool'],
  ['refusal', 'filter'],
]);

/** Undefined if it has not ended: the vendor paused it, and would go on if it were asked to. */
export function readStop(
  { stop_reason: given, stop_sequence: sequence, stop_details: details }: JsonObject,
  hasCalls: boolean,
): AnswerEvent[] | undefined {
  if (given === 'pause_turn') return undefined;
  if (given === 'stop_sequence' && typeof sequence === 'string') return [{ type: 'stop', reason: 'end', sequence }];
  const reason = REASONS.get(String(given)) ?? 'end';
  // Whoever waits for a call that never came, waits for ever.
  const isCall = reason === 'tool' || reason === 'end';
  return [...refusal(details), { type: 'stop', reason: isCall ? (hasCalls ? 'tool' : 'end') : reason }];
}

function refusal(details: JsonObject[string]): AnswerEvent[] {
  if (!isObject(details) || typeof details.explanation !== 'string' || details.explanation === '') return [];
  return [
    { type: 'open', block: { kind: 'refusal', isVendors: true } },
    { type: 'delta', text: details.explanation },
    { type: 'close' },
  ];
}
