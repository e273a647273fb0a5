// Arguments of a chat template, which servers such as vLLM take. Clients turn thinking on and off with them, so those pass.
// Others do not: a number of tokens is no bound that we hold; vLLM has taken a whole template as an argument, and a template can write a prompt of any length.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { leaveMembers } from './leave-members.ts';
import { type LeftBehind, NOTHING_LEFT } from './left-behind.ts';

const FIELD = 'chat_template_kwargs';

const PASSED: ReadonlySet<string> = new Set([
  ...['enable_thinking', 'thinking', 'thinking_mode', 'reasoning_effort'],
  ...['preserve_thinking', 'clear_thinking', 'low_effort', 'enable_reasoning'],
]);
const WORD = /^[\w.-]{1,64}$/;

export function leaveTemplateArguments({ [FIELD]: given }: JsonObject): LeftBehind {
  if (!isObject(given)) return NOTHING_LEFT;
  return leaveMembers(NOTHING_LEFT, FIELD, given, (name, value) => !PASSED.has(name) || !isPlain(value));
}

function isPlain(value: Json | undefined): boolean {
  return value === null || typeof value !== 'object' ? typeof value !== 'string' || WORD.test(value) : false;
}
