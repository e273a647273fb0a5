// What the adapters of a translation are given, with defaults for what a test does not care about.

import type { AnswerContext, Target } from '../../../src/dialects/translate/adapters.ts';
import type { Conversation } from '../../../src/dialects/translate/conversation.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { type QuirksName, quirksOf } from '../../../src/vendors/quirks.ts';

export const ORIGIN = '0123456789';

export function targetOf(quirks?: QuirksName, more: Partial<Target> = {}): Target {
  return {
    model: 'u',
    quirks: quirksOf(quirks),
    prefill: false,
    origin: ORIGIN,
    requestId: 'req_1',
    hashUser: (id) => `hash-of-${id.length}`,
    ...more,
  };
}

export function contextOf(asked: Record<string, unknown> = {}, more: Partial<AnswerContext> = {}): AnswerContext {
  return {
    requestId: 'req_1',
    createdAt: 1_800_000_000,
    model: 'asked-for',
    origin: ORIGIN,
    tools: [],
    inputTokens: 5,
    asked: readJsonObject(JSON.stringify(asked)),
    ...more,
  };
}

export function conversationOf(more: Partial<Conversation>): Conversation {
  return {
    system: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi', at: 'messages[0].content' }], at: 'messages[0]' }],
    tools: [],
    toolChoice: undefined,
    parallelTools: undefined,
    reasoning: undefined,
    showsThoughts: false,
    format: undefined,
    settings: [],
    ...more,
  };
}
