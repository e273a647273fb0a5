// The demo's answer: a text that says that it is a demo, in the language of the prompt, without quoting it; or the tool call
// or JSON document that the request asks for, as small as its schema allows.

import { isObject, type Json, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { schemaInstance } from './schema-instance.ts';
import { wantedOutput } from './wanted-output.ts';

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

/** One write, and whether a pause comes before it. */
export interface Frame {
  text: string;
  paced: boolean;
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

function demoOutput(request: JsonObject): { all: string[]; call: DemoCall | undefined } {
  const wanted = wantedOutput(request);
  switch (wanted.kind) {
    case 'text':
      return { all: splitWords(textFor(request.messages)), call: undefined };
    case 'json': {
      const document = wanted.schema === undefined ? { demo: true } : schemaInstance(wanted.schema);
      return { all: splitDocument(JSON.stringify(document)), call: undefined };
    }
    case 'call': {
      const { name, schema, isCustom } = wanted.tool;
      if (isCustom) return { all: ['demo'], call: { name, input: 'demo' } };
      const instance = schemaInstance(schema);
      const input = isObject(instance) ? instance : {};
      return { all: splitDocument(JSON.stringify(input)), call: { name, input } };
    }
  }
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
  const last = Array.isArray(messages)
    ? messages.findLast((message) => isObject(message) && message.role === 'user')
    : null;
  if (!isObject(last)) return '';
  return typeof last.content === 'string' ? last.content : JSON.stringify(last.content ?? '');
}
