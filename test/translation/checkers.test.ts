// The checkers of this folder find what they are there to find: each good example spoilt in one way is refused.

import { describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { Ungrammatical } from '../support/grammar/told.ts';
import { carryStream } from './carry-stream.ts';
import { CLIENTS, type ClientName, UPSTREAMS, type UpstreamName } from './sides.ts';

const SAID = { reasoning: ['Hm'], text: ['So', '.'], calls: [{ id: 'c1', name: 'look', arguments: ['{"a"', ':1}'] }] };
const good = (client: ClientName) => carryStream(client, 'gemini', UPSTREAMS.gemini.says(SAID).stream ?? []).text;
type Spoil = [what: string, spoil: (frames: string[]) => string[]];

const without = (mark: string) => (frames: string[]) => frames.filter((frame) => !frame.includes(mark));
const twice = (mark: string) => (frames: string[]) =>
  frames.flatMap((frame) => (frame.includes(mark) ? [frame, frame] : [frame]));
const replaced = (from: string, to: string) => (frames: string[]) => frames.map((frame) => frame.replace(from, to));

const SPOILT: Record<ClientName, Spoil[]> = {
  chat: [
    ['a second role', twice('"role"')],
    ['no role', without('"role"')],
    ['a finish twice', twice('"finish_reason":"tool_calls"')],
    ['no finish', without('"finish_reason":"tool_calls"')],
    ['an end twice', twice('[DONE]')],
    ['a call without an index', replaced('"tool_calls":[{"index":0', '"tool_calls":[{"x":0')],
    ['a call that begins twice', twice('"type":"function"')],
    ['an unknown finish', replaced('"finish_reason":"tool_calls"', '"finish_reason":"tool_use"')],
    ['another id', (frames) => frames.map((frame, index) => (index === 2 ? frame.replace('chatcmpl-', 'x-') : frame))],
    ['a name for an event', replaced('data:', 'event: chunk\ndata:')],
  ],
  messages: [
    ['a second start', twice('event: message_start')],
    ['no start', without('event: message_start')],
    ['a block that is closed twice', twice('event: content_block_stop')],
    ['blocks that are never closed', without('event: content_block_stop')],
    ['an end twice', twice('event: message_stop')],
    ['no reason to end', without('event: message_delta')],
    ['a thought in a text', replaced('"type":"text_delta"', '"type":"thinking_delta"')],
    ['thoughts without a signature', without('signature_delta')],
    ['events without names', replaced('event: content_block_start\n', '')],
    ['a block with a strange number', replaced('"index":1', '"index":2')],
    ['a stop without usage', replaced('"usage":{', '"use":{')],
    ['a mark of another format', (frames) => [...frames, 'data: [DONE]\n\n']],
  ],
  responses: [
    ['a second start', twice('event: response.created')],
    ['no start', without('event: response.created')],
    ['an item that was never added', without('event: response.output_item.added')],
    ['a part that was never added', without('event: response.content_part.added')],
    ['an item without an end', without('event: response.output_item.done')],
    ['a lost delta', without('event: response.output_text.delta')],
    ['a number twice', replaced('"sequence_number":3', '"sequence_number":2')],
    ['an end that repeats something else', replaced('"output":[', '"output":[{"type":"message","content":[]},')],
    ['an event after the end', (frames) => [...frames, frames[1] ?? '']],
  ],
  gemini: [
    ['a reason twice', twice('"finishReason"')],
    ['an unknown reason', replaced('"finishReason":"STOP"', '"finishReason":"DONE"')],
    ['a chunk after the end', (frames) => [...frames, frames[1] ?? '']],
    ['another role', replaced('"role":"model"', '"role":"assistant"')],
    ['a call without a name', replaced('"name":"look"', '"named":"look"')],
    ['arguments as text', replaced('"args":{"a":1}', '"args":"{}"')],
    ['a member that is not Google’s', replaced('"thought":true', '"thinking":true')],
    ['no model', replaced('"modelVersion"', '"model"')],
    ['a mark of another format', (frames) => [...frames, 'data: [DONE]\n\n']],
  ],
};

describe.each(Object.keys(CLIENTS) as ClientName[])('a stream of %s', (client) => {
  const frames = good(client).split(/(?<=\n\n)/);

  test('that is good', () => {
    const told = CLIENTS[client].readStream(frames.join(''));
    expect(told).toMatchObject({ text: 'So.', reasoning: 'Hm', ends: 'tool', complete: true });
    expect(told.calls[0]?.arguments).toBe('{"a":1}');
  });

  test.each(SPOILT[client])('with %s', (_, spoil) => {
    const spoilt = spoil(frames);
    expect(spoilt).not.toEqual(frames);
    expect(() => CLIENTS[client].readStream(spoilt.join(''))).toThrow(Ungrammatical);
  });
});

const CALL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'light' };
const USER = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const CHAT_CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
const GEMINI_USER = { role: 'user', parts: [{ text: 'Hi' }] };
const CONFIG = { generationConfig: { maxOutputTokens: 10 } };

const GOOD_REQUESTS: Record<UpstreamName, Answer> = {
  anthropic: { model: 'm', max_tokens: 10, messages: [USER] },
  openai: { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
  gemini: { contents: [GEMINI_USER], ...CONFIG },
  'openai-responses': { model: 'm', max_output_tokens: 16, store: false, input: [{ role: 'user', content: 'Hi' }] },
};

const BAD_REQUESTS: [UpstreamName, what: string, members: Answer][] = [
  ['openai-responses', 'an unknown member', { foo: 1 }],
  ['openai-responses', 'an answer that is stored', { store: true }],
  ['openai-responses', 'a bound below the least', { max_output_tokens: 15 }],
  [
    'openai-responses',
    'a result without a call',
    { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
  ],
  ['anthropic', 'an unknown member', { foo: 1 }],
  ['anthropic', 'no messages', { messages: [] }],
  ['anthropic', 'two turns of one role', { messages: [USER, USER] }],
  ['anthropic', 'an empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }],
  ['anthropic', 'a call without a result', { messages: [USER, { role: 'assistant', content: [CALL] }, USER] }],
  ['anthropic', 'a result without a call', { messages: [{ role: 'user', content: [RESULT] }] }],
  [
    'anthropic',
    'a result after text',
    { messages: [USER, { role: 'assistant', content: [CALL] }, { role: 'user', content: [...USER.content, RESULT] }] },
  ],
  ['anthropic', 'a budget above the bound', { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
  ['openai', 'an unknown member', { foo: 1 }],
  ['openai', 'a call without a result', { messages: [{ role: 'assistant', content: null, tool_calls: [CHAT_CALL] }] }],
  ['openai', 'a result without a call', { messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'light' }] }],
  ['openai', 'a stream without usage', { stream: true }],
  ['openai', 'two bounds', { max_completion_tokens: 10 }],
  [
    'openai',
    'a mark for a cache of others',
    {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
    },
  ],
  ['gemini', 'an unknown member', { foo: 1 }],
  ['gemini', 'two turns of one role', { contents: [GEMINI_USER, GEMINI_USER] }],
  ['gemini', 'an empty part', { contents: [{ role: 'user', parts: [{ text: '' }] }] }],
  [
    'gemini',
    'a response that is a text',
    {
      contents: [{ role: 'user', parts: [{ functionResponse: { name: 'look', response: 'light' } }] }],
    },
  ],
  [
    'gemini',
    'a schema with a keyword that is not known',
    {
      tools: [{ functionDeclarations: [{ name: 'look', parameters: { type: 'object', $schema: 'x' } }] }],
    },
  ],
];

describe('a request', () => {
  test.each(Object.keys(GOOD_REQUESTS) as UpstreamName[])('to %s that is good', (upstream) => {
    UPSTREAMS[upstream].check(GOOD_REQUESTS[upstream]);
  });

  test.each(BAD_REQUESTS)('to %s with %s', (upstream, _, members) => {
    expect(() => UPSTREAMS[upstream].check({ ...GOOD_REQUESTS[upstream], ...members })).toThrow(Ungrammatical);
  });
});
