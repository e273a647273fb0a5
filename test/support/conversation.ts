// Conversations and targets for tests of the two sides of a translation, with everything left out that a test is not about.

import type { AnswerContext, Target } from '../../src/dialects/translate/adapters.ts';
import type {
  Conversation,
  Part,
  Setting,
  SettingKind,
  TextPart,
  Tool,
  Turn,
} from '../../src/dialects/translate/conversation.ts';
import { Fault } from '../../src/faults/fault.ts';
import { type Json, readJsonObject } from '../../src/kit/json/json.ts';
import { quirksOf } from '../../src/vendors/quirks.ts';

export function conversationOf(given: Partial<Conversation> = {}): Conversation {
  return {
    system: [],
    turns: [userTurn('Hi')],
    tools: [],
    toolChoice: undefined,
    parallelTools: undefined,
    reasoning: undefined,
    showsThoughts: false,
    format: undefined,
    settings: [],
    ...given,
  };
}

export function targetOf(model: string, given: Partial<Target> = {}): Target {
  return {
    model,
    quirks: quirksOf(undefined),
    prefill: false,
    origin: 'origin0000',
    requestId: 'req_1',
    hashUser: (id) => `hash-of-${id}`,
    ...given,
  };
}

export function contextOf(given: Partial<AnswerContext> = {}): AnswerContext {
  return {
    requestId: 'req_0abc',
    createdAt: 1_700_000_000,
    model: 'some:model',
    origin: 'origin0000',
    tools: [],
    inputTokens: 12,
    asked: readJsonObject('{}'),
    ...given,
  };
}

export function textPart(text: string, given: Partial<TextPart> = {}): TextPart {
  return { type: 'text', text, at: 'messages[0].content', ...given };
}

export function turnOf(role: Turn['role'], ...parts: (string | Part)[]): Turn {
  return { role, parts: parts.map((part) => (typeof part === 'string' ? textPart(part) : part)), at: 'messages[0]' };
}

export function userTurn(...parts: (string | Part)[]): Turn {
  return turnOf('user', ...parts);
}

export function callPart(id: string, args = '{}', given: { name?: string; isCustom?: boolean } = {}): Part {
  return {
    type: 'tool_call',
    id,
    name: 'look',
    arguments: args,
    isCustom: false,
    at: 'messages[1].tool_calls[0]',
    ...given,
  };
}

export function resultPart(callId: string, text = 'found'): Part {
  return { type: 'tool_result', callId, content: [textPart(text)], isError: false, at: 'messages[2]' };
}

export function toolOf(name: string, given: Partial<Tool> = {}): Tool {
  return {
    name,
    description: undefined,
    schema: undefined,
    strict: undefined,
    isCustom: false,
    at: 'tools[0]',
    ...given,
  };
}

export function settingOf(kind: SettingKind, value: Json, name: string = kind): Setting {
  return { kind, name, value };
}

/** The parameter that a refusal names. */
export function refusedParam(attempt: () => unknown): string | undefined {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid_request') return error.details.param;
    throw error;
  }
  return undefined;
}
