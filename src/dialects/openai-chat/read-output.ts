// What a message or a delta carries: is it output at all, and about how many tokens of it.

import { isObject, type Json, type JsonObject } from '../../kit/json.ts';
import { weighTokens } from '../../kit/tokens.ts';

export interface Output {
  /** Text, a tool call, a refusal's words, audio: what a person would call an answer. */
  hasContent: boolean;
  hasReasoning: boolean;
  /** Counted here, not reported; rounded when it is billed. */
  tokens: number;
}

export const NO_OUTPUT: Output = { hasContent: false, hasReasoning: false, tokens: 0 };

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

export function readOutput(message: Json | undefined): Output {
  if (!isObject(message)) return NO_OUTPUT;
  const texts = contentTexts(message);
  const reasoning = REASONING_FIELDS.map((name) => message[name]).filter(isText);
  return {
    hasContent: texts.length > 0 || isObject(message.audio),
    hasReasoning: reasoning.length > 0,
    tokens: [...texts, ...reasoning].reduce((sum, text) => sum + weighTokens(text), 0),
  };
}

export function addOutput(a: Output, b: Output): Output {
  return {
    hasContent: a.hasContent || b.hasContent,
    hasReasoning: a.hasReasoning || b.hasReasoning,
    tokens: a.tokens + b.tokens,
  };
}

function contentTexts(message: JsonObject): string[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const functions = [
    message.function_call,
    ...calls.map((call) => (isObject(call) ? (call.function ?? call.custom) : null)),
  ];
  return [
    message.content,
    message.refusal,
    ...functions.flatMap((call) => (isObject(call) ? [call.name, call.arguments, call.input] : [])),
  ].filter(isText);
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
