// Thought signatures as Gemini clients keep them: base64, because libraries decode it to bytes. One that we wrote names its
// model; another is Google's own.

import type { ReasoningPart } from '../../translate/conversation.ts';
import { GOOGLE_ORIGIN, packReasoning, unpackReasoning } from '../../translate/opaque.ts';

type Signed = Pick<ReasoningPart, 'text' | 'redacted' | 'opaque' | 'isMoved'>;

interface Reasoning {
  signature?: string;
  redacted?: string;
  isMoved: boolean;
}

export function writeSignature(origin: string, { isMoved, ...reasoning }: Reasoning): string {
  const packed = packReasoning(origin, { text: '', ...reasoning, ...(isMoved ? { isMoved } : {}) });
  return Buffer.from(packed).toString('base64');
}

export function readSignature(value: string): Signed {
  return unpackReasoning(value) ?? { text: '', opaque: { origin: GOOGLE_ORIGIN, value } };
}
