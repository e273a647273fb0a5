// A whole answer that is written as a stream and joined again is the answer it was, with all that its format can hold.

import { describe, expect, test } from 'bun:test';
import { anthropicMessages } from '../../../src/dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../../src/dialects/dialect.ts';
import { openaiChat } from '../../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../../src/dialects/openai-responses/dialect.ts';
import { splitEvents } from '../../../src/dialects/stream/other-form.ts';
import { ANSWER_LIMITS, readJsonObject } from '../../../src/kit/json/json.ts';
import { writeJson } from '../../../src/kit/json/raw-json.ts';

const CHAT = `{"id":"c1","object":"chat.completion","created":1,"model":"m","service_tier":"default","choices":[
  {"index":0,"message":{"role":"assistant","content":"Hi","refusal":null,"reasoning":"Hm.",
    "reasoning_details":[{"type":"reasoning.text","text":"Hm.","signature":"s","index":0}],
    "annotations":[{"type":"url_citation","url_citation":{"url":"https://a.test","title":"A","start_index":0,"end_index":2}}],
    "tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{\\"n\\":1}"}},
      {"id":"b","type":"custom","custom":{"name":"write","input":"x"}}]},
   "logprobs":{"content":[{"token":"Hi","logprob":-0.1,"bytes":[72],"top_logprobs":[]}],"refusal":null},
   "content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"finish_reason":"tool_calls"},
  {"index":1,"message":{"role":"assistant","content":null,"refusal":"No."},"logprobs":null,"finish_reason":"stop"}],
  "usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`;

const MESSAGES = `{"id":"m1","type":"message","role":"assistant","model":"m","container":null,"content":[
  {"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"redacted_thinking","data":"xyz"},
  {"type":"text","text":"Hi","citations":[{"type":"char_location","cited_text":"H","document_index":0}]},
  {"type":"server_tool_use","id":"srv1","name":"web_search","input":{"query":"q"}},
  {"type":"web_search_tool_result","tool_use_id":"srv1","content":[{"type":"web_search_result","url":"https://a.test"}]},
  {"type":"tool_use","id":"t1","name":"look","input":{"n":1}},{"type":"tool_use","id":"t2","name":"look","input":{}}],
  "stop_reason":"tool_use","stop_sequence":null,"stop_details":{"type":"refusal","category":"cyber"},
  "usage":{"input_tokens":3,"output_tokens":2,"cache_read_input_tokens":1}}`;

const RESPONSES = `{"id":"r1","object":"response","created_at":1,"status":"completed","model":"m","error":null,"output":[
  {"id":"rs","type":"reasoning","summary":[{"type":"summary_text","text":"A"},{"type":"summary_text","text":"B"}],
    "content":[{"type":"reasoning_text","text":"C"}],"encrypted_content":"x"},
  {"id":"ms","type":"message","role":"assistant","status":"completed","content":[
    {"type":"output_text","text":"Hi","logprobs":[],"annotations":[{"type":"url_citation","url":"https://a.test"}]},
    {"type":"refusal","refusal":"No."}]},
  {"id":"ws","type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},
  {"id":"fc","type":"function_call","status":"completed","call_id":"c","name":"look","arguments":"{\\"n\\":1}"},
  {"id":"cc","type":"custom_tool_call","status":"completed","call_id":"d","name":"write","input":"x"}],
  "usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`;

const ANSWERS: { name: string; dialect: Dialect; text: string }[] = [
  { name: 'chat', dialect: openaiChat, text: CHAT },
  { name: 'messages', dialect: anthropicMessages, text: MESSAGES },
  { name: 'responses', dialect: openaiResponses, text: RESPONSES },
];

describe.each(ANSWERS)('$name', ({ dialect, text }) => {
  const form = dialect.stream.otherForm;
  if (!form) throw new Error('it has no other form');

  test('comes back as it was', () => {
    const events = splitEvents(form.writeAsStream(readJsonObject(text, ANSWER_LIMITS)));
    expect(events.length).toBeGreaterThan(3);
    expect(JSON.parse(writeJson(form.joinStream(events) ?? null))).toEqual(JSON.parse(text));
  });

  test('is read in both forms with the same facts', () => {
    const document = readJsonObject(text, ANSWER_LIMITS);
    const request = { choices: 2 } as Parameters<Dialect['stream']['createReader']>[0];
    const reader = dialect.stream.createReader(request);
    for (const event of splitEvents(form.writeAsStream(document))) reader.read(event);
    const { usage, finish, output, finished } = reader.facts();
    const whole = dialect.answer.read(document);
    expect(finished).toBe(true);
    expect<unknown>({ usage, finish }).toEqual({ usage: whole?.usage, finish: whole?.finish });
    expect(output).toMatchObject({ hasContent: true, hasReasoning: true });
  });
});

test('a stream with a failure is no answer', () => {
  const streams: [Dialect, string][] = [
    [openaiChat, 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"error":{"message":"no"}}\n\n'],
    [anthropicMessages, 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'],
    [openaiResponses, 'event: response.failed\ndata: {"type":"response.failed","response":{}}\n\n'],
  ];
  for (const [dialect, text] of streams)
    expect(dialect.stream.otherForm?.joinStream(splitEvents(text))).toBeUndefined();
});

test('calls of a chat stream are joined by their index, from wherever it counts', () => {
  const bit = (call: unknown) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] })}\n\n`;
  const text = [
    bit({ index: 1, id: 'a', type: 'function', function: { name: 'look', arguments: '' } }),
    bit({ index: 2, id: 'b', type: 'function', function: { name: 'find', arguments: '{"b' } }),
    bit({ index: 1, id: 'a', type: 'function', function: { arguments: '{"a":' } }),
    bit({ index: 2, function: { arguments: '":2}' } }),
    bit({ index: 1, function: { arguments: '1}' } }),
  ].join('');
  expect(openaiChat.stream.otherForm?.joinStream(splitEvents(text))).toMatchObject({
    choices: [
      {
        message: {
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'look', arguments: '{"a":1}' } },
            { id: 'b', type: 'function', function: { name: 'find', arguments: '{"b":2}' } },
          ],
        },
      },
    ],
  });
});

describe('a chat stream', () => {
  const join = (...choices: object[]) =>
    openaiChat.stream.otherForm?.joinStream(
      splitEvents(choices.map((choice) => `data: ${JSON.stringify({ id: 'c', choices: [choice] })}\n\n`).join('')),
    );

  test('has its choices in the order of their indexes', () => {
    const joined = join(
      { index: 1, delta: { content: 'b' } },
      { index: 0, delta: { content: 'a' } },
      { index: 1, delta: { content: 'c' } },
    );
    expect(joined).toMatchObject({
      choices: [
        { index: 0, message: { content: 'a' } },
        { index: 1, message: { content: 'bc' } },
      ],
    });
  });

  test('has one call for each id, if its calls have no index', () => {
    const call = (id: string | null | undefined, name: string, args: string) => ({
      index: 0,
      delta: { tool_calls: [{ id, type: 'function', function: { name, arguments: args } }] },
    });
    const joined = join(
      call('a', 'look', '{"n"'),
      call('b', 'find', '{"m"'),
      call('a', 'look', ':1}'),
      call('b', 'find', ':2'),
      call(null, 'find', '}'),
    );
    expect(joined).toMatchObject({
      choices: [
        {
          message: {
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":1}' } },
              { id: 'b', type: 'function', function: { name: 'find', arguments: '{"m":2}' } },
            ],
          },
        },
      ],
    });
  });

  test('joins texts of fields that are unknown, and repeats none that are constant', () => {
    const joined = join(
      { index: 0, delta: { role: 'assistant', thoughts: 'ab', extra: { words: 'x' } } },
      { index: 0, delta: { role: 'assistant', thoughts: 'cd', extra: { words: 'y' } } },
    );
    expect(joined).toMatchObject({
      choices: [{ message: { role: 'assistant', thoughts: 'abcd', extra: { words: 'xy' } } }],
    });
  });
});
