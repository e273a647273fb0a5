// Whether an answer may be continued by prefill: not if the request asks for thinking or for a fixed format, in the fields of any
// chat format, of OpenRouter or of servers of open models.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import { member } from './gemini/member.ts';

/** Fields of vLLM, SGLang, llama.cpp and Ollama, besides `guided_…`. */
const FORMS = ['format', 'grammar', 'ebnf', 'regex', 'json_schema', 'structured_outputs'];

/** Upstreams refuse to begin a thinking answer without its thoughts, and begin one that has a form to keep from the start. */
export function mayPrefill(body: JsonObject): boolean {
  const config = objectIn(body, 'generationConfig');
  return !asksToThink(body) && !asksForForm(body) && !geminiThinks(config) && !geminiBindsForm(body, config);
}

function asksToThink(body: JsonObject): boolean {
  const thinking = objectIn(body, 'thinking');
  if (thinking.type === 'enabled' || thinking.type === 'adaptive') return true;
  const reasoning = objectIn(body, 'reasoning');
  const effort = body.reasoning_effort ?? (reasoning.enabled === false ? undefined : reasoning.effort);
  if (typeof effort === 'string') return effort !== 'none';
  return reasoning.enabled === true || (reasoning.enabled !== false && Number(reasoning.max_tokens) > 0);
}

/** In a chat, `function_call` is what `tool_choice` was called before: an object names the function. */
function asksForForm(body: JsonObject): boolean {
  const formats = [body.response_format, memberOf(body.text, 'format'), memberOf(body.output_config, 'format')];
  const isBound = formats.some(isForm) || mustCall(body.tool_choice) || isObject(body.function_call);
  return isBound || Object.entries(body).some(isServerForm);
}

/** Before `output_config`, Anthropic's `output_format` was the whole of it. */
function isServerForm([name, value]: [string, Json | undefined]): boolean {
  if (value === undefined || value === null || value === '') return false;
  return FORMS.includes(name) || name.startsWith('guided_') || (name === 'output_format' && isForm(value));
}

function isForm(format: Json | undefined): boolean {
  return isObject(format) && format.type !== 'text';
}

/** A tool must be called: text alone is not accepted. */
function mustCall(choice: Json | undefined): boolean {
  if (!isObject(choice)) return choice === 'required' || choice === 'any';
  // In a chat it is one level deeper than in responses.
  if (choice.type === 'allowed_tools') return (memberOf(choice.allowed_tools, 'mode') ?? choice.mode) === 'required';
  return choice.type !== 'auto' && choice.type !== 'none';
}

/** `includeThoughts` only shows thoughts and does not turn them on. */
function geminiThinks(config: JsonObject): boolean {
  const thinking = objectIn(config, 'thinkingConfig');
  const budget = member(thinking, 'thinkingBudget');
  return budget !== 0 && (budget !== undefined || member(thinking, 'thinkingLevel') !== undefined);
}

function geminiBindsForm(body: JsonObject, config: JsonObject): boolean {
  const type = member(config, 'responseMimeType');
  const calling = objectIn(objectIn(body, 'toolConfig'), 'functionCallingConfig');
  return (type !== undefined && type !== 'text/plain') || calling.mode === 'ANY';
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isObject(value) ? value : {};
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}
