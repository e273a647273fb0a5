// Claude pauses a long turn in the middle of tools that Anthropic runs. Its own clients get the pause and all blocks as they
// came, and go on by sending them back.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { costAt, type Lab, MAIN, startLab } from '../support/lab.ts';
import { jsonScript } from '../support/openai-chat.ts';
import { parseSse } from '../support/sse.ts';
import { wireClient } from '../support/wire-clients.ts';

const client = wireClient('messages');
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'early birds' } };
const FOUND = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const CONTENT = [{ type: 'text', text: 'I search.' }, SEARCH, FOUND];
const PAUSED = {
  ...{ id: 'msg_scripted', type: 'message', role: 'assistant', model: 'scripted-2026-01' },
  ...{ content: CONTENT, stop_reason: 'pause_turn', stop_sequence: null },
  usage: { input_tokens: 11, output_tokens: 7 },
};
let lab: Lab;
beforeAll(async () => {
  lab = await startLab(client);
});
beforeEach(() => lab.first.reset());
afterAll(() => lab.stop());

test('a whole answer has its pause and its blocks, and goes on when they are sent back', async () => {
  lab.first.next(jsonScript(200, PAUSED), client.whole());
  const { json, record } = await lab.ask();
  expect(json).toMatchObject({ stop_reason: 'pause_turn', content: CONTENT });
  expect(record).toMatchObject({ status: 'ok', cost_nano: costAt(MAIN, 11, 7) });
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: json.content },
  ];
  expect((await lab.ask({ messages })).json.stop_reason).toBe('end_turn');
  expect(lab.first.requests.at(-1)?.json.messages).toEqual(messages);
});

test('a stream has its pause too, also where the upstream answers with JSON', async () => {
  lab.first.next(jsonScript(200, PAUSED));
  const { text, record } = await lab.ask({ stream: true });
  const events = parseSse(text).map(({ json }) => json);
  const started = events.filter((event) => event?.type === 'content_block_start');
  expect(started.map((event) => event?.content_block.type)).toEqual(CONTENT.map(({ type }) => type));
  expect(events.find((event) => event?.delta?.partial_json)?.delta.partial_json).toBe(JSON.stringify(SEARCH.input));
  expect(events.find((event) => event?.type === 'message_delta')?.delta.stop_reason).toBe('pause_turn');
  expect(record).toMatchObject({ status: 'ok', cost_nano: costAt(MAIN, 11, 7) });
});
