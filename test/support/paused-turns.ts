// An answer that Claude pauses, for clients of the OpenAI formats: what it says, and what they have of it.

import { expect } from 'bun:test';
import type { Answer } from './answer.ts';
import { streamedTurn, type Turn, type TurnBlock, wholeTurn } from './anthropic-turns.ts';
import type { Asked } from './lab.ts';
import type { Script } from './script.ts';
import { type WireClient, wireClient } from './wire-clients.ts';

export const text = (words: string): TurnBlock => ({ type: 'text', text: words });
export const SEARCH = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'early birds' },
};
export const FOUND = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
export const BLOCKS = [text('I search.'), SEARCH, FOUND];
export const PAUSED: Turn = { content: BLOCKS, stop: 'pause_turn' };
export const NEVER = new Promise<never>(() => {});

/** Clients of the OpenAI formats on channels of Anthropic's. */
export const CLIENTS = [wireClient('chat'), wireClient('responses')].map((client) => ({
  ...client,
  channel: wireClient('messages').channel,
}));
export const CHAT = CLIENTS[0] as WireClient;

export const written = (turn: Turn, stream: boolean): Script => (stream ? streamedTurn(turn) : wholeTurn(turn));

/** What a client has of an answer, in words that both formats share. */
export function shown(client: WireClient, stream: boolean, { json, answer, text: told }: Asked) {
  if (stream) {
    expect(answer.complete, told).toBe(true);
    expect(answer.error).toBeUndefined();
    const slots = Object.entries(answer.content);
    const of = (pattern: RegExp) => slots.filter(([slot]) => pattern.test(slot)).map(([, words]) => words);
    return {
      text: of(/^\d+\/(content$|text\/)/).join(''),
      calls: of(/arguments$/),
      finish: answer.finish,
      usage: answer.usage,
    };
  }
  if (client.name === 'chat') {
    const [{ message, finish_reason: finish }] = json.choices;
    const calls = (message.tool_calls ?? []).map((call: Answer) => call.function.arguments);
    return { text: message.content ?? '', calls, finish, usage: json.usage };
  }
  const parts = json.output.flatMap((item: Answer) => (item.type === 'message' ? item.content : []));
  const calls = json.output.filter((item: Answer) => item.type === 'function_call');
  return {
    text: parts.map((part: Answer) => part.text).join(''),
    calls: calls.map((call: Answer) => call.arguments),
    finish: json.status === 'incomplete' ? json.incomplete_details.reason : json.status,
    usage: json.usage,
  };
}

const ENDS: Record<string, { end: string; length: RegExp; tool: RegExp }> = {
  chat: { end: 'stop', length: /^length$/, tool: /^tool_calls$/ },
  responses: { end: 'completed', length: /max_output_tokens|incomplete/, tool: /completed/ },
};
export const endsOf = ({ name }: WireClient) => ENDS[name] as (typeof ENDS)[string];
export const lastMessage = ({ json }: { json: Answer }) => json.messages.at(-1);
