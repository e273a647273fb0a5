// What a conversation is written for, and a conversation with nothing special in it.

import type { Target } from '../../../src/dialects/translate/adapters.ts';
import type { Conversation, Part, Tool, Turn } from '../../../src/dialects/translate/conversation.ts';
import { quirksOf } from '../../../src/vendors/quirks.ts';

export const ORIGIN = 'origin0001';
export const FIELDS = {
  model: 'gemini-2.5-flash',
  maxOutputTokens: 1_000,
  thinkingBudget: undefined,
  limitField: 'max_tokens',
} as const;

export function target(rest: Partial<Target> = {}): Target {
  return {
    model: FIELDS.model,
    quirks: quirksOf(undefined),
    prefill: false,
    origin: ORIGIN,
    requestId: 'req_01abc',
    hashUser: (id) => `hash of ${id.length}`,
    ...rest,
  };
}

export function conversation(rest: Partial<Conversation> = {}): Conversation {
  return {
    system: [],
    turns: [turn('user', text('Hi'))],
    tools: [],
    toolChoice: undefined,
    parallelTools: undefined,
    reasoning: undefined,
    showsThoughts: false,
    format: undefined,
    settings: [],
    ...rest,
  };
}

export function turn(role: Turn['role'], ...parts: Part[]): Turn {
  return { role, parts, at: 'messages[0]' };
}

export function text(value: string): Part {
  return { type: 'text', text: value, at: 'messages[0].content' };
}

export function tool(name: string, rest: Partial<Tool> = {}): Tool {
  return {
    name,
    description: undefined,
    schema: undefined,
    strict: undefined,
    isCustom: false,
    at: 'tools[0]',
    ...rest,
  };
}
