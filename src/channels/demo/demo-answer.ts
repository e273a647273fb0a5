// The text of the demo channel: says that it is a demo, in the language of the prompt, without quoting it.

import { isObject, type Json, tryParseJson } from '../../kit/json/json.ts';
import { countPrompt } from './count-prompt.ts';

export interface DemoAnswer {
  /** The text in chunks as streamed; each counts as one token. */
  chunks: readonly string[];
  promptTokens: number;
  finish: 'stop' | 'length';
  choices: number;
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
  '這是 AI 閘道的示範線路。沒有呼叫任何模型：這段文字是內建的，讓您不需任何供應商帳號，就能試用金鑰、串流、用量限制與計費。' +
  '在設定檔中加入上游通道，即可連到真正的模型。';

export function demoAnswer(body: string): DemoAnswer {
  const parsed = tryParseJson(body);
  const request = isObject(parsed) ? parsed : {};
  const prompt = lastText(request.messages);
  const all = splitChunks(/[\u3400-\u9fff]/.test(prompt) ? CHINESE : ENGLISH);
  const limit = [request.max_completion_tokens, request.max_tokens].find((value) => typeof value === 'number');
  const most = typeof limit === 'number' ? limit : all.length;
  return {
    chunks: all.slice(0, most),
    promptTokens: countPrompt(request),
    finish: most < all.length ? 'length' : 'stop',
    choices: typeof request.n === 'number' ? request.n : 1,
  };
}

/** Words with the space before them; Chinese in pairs of characters. */
function splitChunks(text: string): string[] {
  return text.match(/[\u3000-\u9fff\uff00-\uffef]{1,2}| ?[^\s\u3000-\u9fff\uff00-\uffef]+| /g) ?? [text];
}

function lastText(messages: Json | undefined): string {
  const last = Array.isArray(messages)
    ? messages.findLast((message) => isObject(message) && message.role === 'user')
    : null;
  if (!isObject(last)) return '';
  return typeof last.content === 'string' ? last.content : JSON.stringify(last.content ?? '');
}
