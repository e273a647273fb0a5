// Arguments of a chat template, which servers such as vLLM accept. Those that turn thinking on and off pass. Others are removed:
// a number of tokens is not a bound that the hold covers, and a template given as an argument can write a prompt of any length.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { NO_REMOVALS, type Removals } from './removals.ts';
import { removeMembers } from './remove-members.ts';

const FIELD = 'chat_template_kwargs';

const PASSED: ReadonlySet<string> = new Set([
  ...['enable_thinking', 'thinking', 'thinking_mode', 'reasoning_effort'],
  ...['preserve_thinking', 'clear_thinking', 'low_effort', 'enable_reasoning'],
]);
const WORD = /^[\w.-]{1,64}$/;

export function removeTemplateArguments({ [FIELD]: given }: JsonObject): Removals {
  if (!isObject(given)) return NO_REMOVALS;
  return removeMembers(NO_REMOVALS, FIELD, given, (name, value) => !PASSED.has(name) || !isPlain(value));
}

function isPlain(value: Json | undefined): boolean {
  return value === null || typeof value !== 'object' ? typeof value !== 'string' || WORD.test(value) : false;
}
