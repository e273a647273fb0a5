// The demo's answer: a text that says that it is a demo, in the language of the prompt, without quoting it; or the tool call
// or JSON document that the request asks for, as small as its schema allows.

import { isObject, type Json, type JsonObject, objectsOf, tryParseJson } from '../../kit/json/json.ts';
import { schemaInstance } from './schema-instance.ts';

export interface DemoAnswer {
  /** The text, or the arguments of the call, in chunks as streamed; each counts as one token. */
  chunks: readonly string[];
  call: DemoCall | undefined;
  promptTokens: number;
  finish: 'stop' | 'length' | 'call';
  choices: number;
}

export interface DemoCall {
  name: string;
  /** An object; a text for a custom tool. */
  input: Json;
}

const ENGLISH =
  'This is the demo channel of the AI gateway. No model was called: this text is built in, so that keys, streaming, ' +
  'limits and billing can be tried without any provider. Add a channel to the configuration to reach a real model.';
const CHINESE =
  '這是 AI 閘道的示範線路。沒有呼叫任何模型：這段文字是內建的，讓您不必連接供應商，就能試用金鑰、串流、用量限制與計費。' +
  '在設定中新增供應商線路，就能使用真正的模型。';

/** `inputTokens`: the gateway's own count, so that the bill agrees with `count_tokens`. */
export function demoAnswer(body: string, inputTokens: number): DemoAnswer {
  const parsed = tryParseJson(body);
  const request = isObject(parsed) ? parsed : {};
  const { all, call } = demoOutput(request);
  const limit = [request.max_completion_tokens, request.max_tokens].find((value) => typeof value === 'number');
  const most = typeof limit === 'number' ? limit : all.length;
  return {
    chunks: all.slice(0, most),
    call,
    // Zero warms a cache, which the demo does not have: as on other channels without one, it is free.
    promptTokens: most === 0 ? 0 : inputTokens,
    finish: most < all.length ? 'length' : call ? 'call' : 'stop',
    choices: typeof request.n === 'number' ? request.n : 1,
  };
}

/** Reads both formats. */
function demoOutput(request: JsonObject): { all: string[]; call: DemoCall | undefined } {
  const tool = toolToCall(readChoice(request), calledSinceUser(objectsOf(request.messages)));
  if (!tool) {
    const document = documentFor(request);
    const words = () => splitWords(textFor(request.messages));
    return { all: document === undefined ? words() : splitDocument(JSON.stringify(document)), call: undefined };
  }
  const { name, schema, isCustom } = tool;
  if (isCustom) return { all: ['demo'], call: { name, input: 'demo' } };
  const instance = schemaInstance(schema);
  const input = isObject(instance) ? instance : {};
  return { all: splitDocument(JSON.stringify(input)), call: { name, input } };
}

/** The JSON document that the request asks for; undefined for a text. */
function documentFor({ response_format: ofChat, output_config: config, output_format: older }: JsonObject) {
  const ofMessages = isObject(config) ? config.format : undefined;
  const format = [ofChat, ofMessages, older].find(isObject);
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return undefined;
  const described = isObject(format.json_schema) ? format.json_schema.schema : format.schema;
  const schema = format.type === 'json_schema' ? described : undefined;
  // Without a schema, any object will do.
  return schema === undefined ? { demo: true } : schemaInstance(schema);
}

/** Words with the space before them; Chinese in pairs of characters. */
function splitWords(text: string): string[] {
  return text.match(/[\u3000-\u9fff\uff00-\uffef]{1,2}| ?[^\s\u3000-\u9fff\uff00-\uffef]+| /g) ?? [text];
}

function splitDocument(json: string): string[] {
  return json.match(/.{1,4}/gsu) ?? [json];
}

function textFor(messages: Json | undefined): string {
  return /[\u3400-\u9fff]/.test(lastText(messages)) ? CHINESE : ENGLISH;
}

function lastText(messages: Json | undefined): string {
  const last = objectsOf(messages).findLast(({ role }) => role === 'user');
  if (!last) return '';
  return typeof last.content === 'string' ? last.content : JSON.stringify(last.content ?? '');
}

interface OfferedTool {
  name: string;
  schema: Json | undefined;
  /** Takes a text instead of an object. */
  isCustom: boolean;
}

/** The calls that a request allows. */
interface Choice {
  mode: 'none' | 'auto' | 'required';
  tools: readonly OfferedTool[];
}

/**
 * A single tool that may be called is called once for each message of the user; of several, none, since agents offer tools
 * with effects. Where a call is required, those not called yet come first.
 */
function toolToCall({ mode, tools }: Choice, called: ReadonlySet<string>): OfferedTool | undefined {
  const next = tools.find(({ name }) => !called.has(name));
  if (mode === 'required') return next ?? tools.at(-1);
  return mode === 'auto' && tools.length === 1 ? next : undefined;
}

function readChoice({ tools, tool_choice: choice }: JsonObject): Choice {
  const offered = objectsOf(tools).flatMap(readTool);
  const only = (names: readonly Json[]) => offered.filter(({ name }) => names.includes(name));
  if (choice === 'none' || choice === 'required') return { mode: choice, tools: offered };
  if (!isObject(choice)) return { mode: 'auto', tools: offered };
  if (choice.type === 'none') return { mode: 'none', tools: offered };
  if (choice.type === 'any') return { mode: 'required', tools: offered };
  if (choice.type === 'allowed_tools') {
    const allowed = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    const names = objectsOf(allowed.tools).map((tool) => nameOf(tool) ?? null);
    return { mode: allowed.mode === 'required' ? 'required' : 'auto', tools: only(names) };
  }
  const name = nameOf(choice);
  return name === undefined ? { mode: 'auto', tools: offered } : { mode: 'required', tools: only([name]) };
}

/** Tools that the vendor runs are left out: they have neither fields of their own nor a schema. */
function readTool(tool: JsonObject): OfferedTool[] {
  const name = nameOf(tool);
  if (name === undefined) return [];
  if (isObject(tool.custom)) return [{ name, schema: undefined, isCustom: true }];
  if (isObject(tool.function)) return [{ name, schema: tool.function.parameters, isCustom: false }];
  return isObject(tool.input_schema) ? [{ name, schema: tool.input_schema, isCustom: false }] : [];
}

/** The name in a tool, a choice or a call, in either format. */
function nameOf({ function: called, custom, name }: JsonObject): string | undefined {
  const fields = isObject(called) ? called : isObject(custom) ? custom : { name };
  return typeof fields.name === 'string' ? fields.name : undefined;
}

function calledSinceUser(messages: readonly JsonObject[]): ReadonlySet<string> {
  const turn = messages.slice(messages.findLastIndex(isFromUser) + 1);
  const calls = turn.flatMap(({ content, tool_calls: calls }) => [
    ...objectsOf(calls),
    ...objectsOf(content).filter(({ type }) => type === 'tool_use'),
  ]);
  return new Set(calls.flatMap((call) => nameOf(call) ?? []));
}

/** Results of tools are also sent as the user. */
function isFromUser({ role, content }: JsonObject): boolean {
  return role === 'user' && !objectsOf(content).some(({ type }) => type === 'tool_result');
}
