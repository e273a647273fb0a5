// The common part of whole and streamed answers to a messages client: blocks, signatures and the end.

import type { JsonObject } from '../../../kit/json/json.ts';
import type { AnswerContext } from '../../translate/adapters.ts';
import type { Block, StopReason } from '../../translate/answer-events.ts';
import { packReasoning, signOwn } from '../../translate/opaque.ts';
import { showCallId } from '../shown-ids.ts';

/** A message without content; its id is ours. */
export function emptyMessage({ requestId, model }: AnswerContext): JsonObject {
  const id = `msg_${requestId.replace(/^req_/, '')}`;
  return { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
}

export function emptyBlock(block: Block, { origin }: AnswerContext): JsonObject {
  switch (block.kind) {
    case 'text':
    // The model's own text; the vendor's is in `stop_details`.
    case 'refusal':
      return { type: 'text', text: '' };
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted':
      return { type: 'redacted_thinking', data: packReasoning(origin, { text: '', redacted: block.data }) };
    case 'tool': {
      const { signature: value } = block;
      const id = showCallId(block.id, value === undefined ? undefined : { origin, value });
      return { type: 'tool_use', id, name: block.name, input: {} };
    }
  }
}

/** The model's signature of its reasoning, or one of ours if it has none. */
export function blockSignature({ origin }: AnswerContext, thoughts: string, given: string): string {
  return given === '' ? signOwn(origin, thoughts) : packReasoning(origin, { text: '', signature: given });
}

interface Ended {
  reason: StopReason;
  sequence: string | undefined;
  hasCalls: boolean;
  hasRefused: boolean;
  /** Why the vendor stopped the answer. */
  explanation: string;
}

export function stopMembers({ reason, sequence, hasCalls, hasRefused, explanation }: Ended): JsonObject {
  const details = explanation === '' ? {} : { stop_details: { type: 'refusal', category: null, explanation } };
  const stop_reason = stopReason(reason, sequence, hasCalls, hasRefused);
  return { stop_reason, stop_sequence: sequence ?? null, ...details };
}

/** An explanation by the vendor, which is not part of the answer. */
export function isExplanation(block: Block): boolean {
  return block.kind === 'refusal' && block.isVendors === true;
}

/** A client waits forever on `tool_use` without calls, and runs no calls without it. */
function stopReason(reason: StopReason, sequence: string | undefined, hasCalls: boolean, hasRefused: boolean): string {
  if (hasRefused || reason === 'filter') return 'refusal';
  if (reason === 'length') return 'max_tokens';
  if (sequence !== undefined) return 'stop_sequence';
  return hasCalls ? 'tool_use' : 'end_turn';
}
