// Why a vendor stopped an answer, or did not begin one: its own message, or ours if it gives only the name of a reason.

import type { AnswerEvent } from './answer-events.ts';

/** The last block of the answer; none if nothing is known. */
export function vendorRefusal(words: string | undefined): AnswerEvent[] {
  if (words === undefined || words === '') return [];
  return [
    { type: 'open', block: { kind: 'refusal', isVendors: true } },
    { type: 'delta', text: words },
    { type: 'close' },
  ];
}

export function blockedBecause(what: 'prompt' | 'answer', reasons: string): string {
  return `The ${what} was blocked by the model's provider: ${reasons}.`;
}
