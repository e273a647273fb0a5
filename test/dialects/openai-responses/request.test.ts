// A Responses request: what we read of it, what is refused with a way forward, and what an upstream of the same dialect
// gets of it.

import { describe, expect, test } from 'bun:test';
import type { UpstreamFields } from '../../../src/dialects/dialect.ts';
import { openaiResponses } from '../../../src/dialects/openai-responses/dialect.ts';
import { packReasoning, tagToolId } from '../../../src/dialects/translate/opaque.ts';
import { Fault } from '../../../src/faults/fault.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { png } from '../../support/media-samples.ts';

const FIELDS: UpstreamFields = {
  model: 'up',
  maxOutputTokens: 50,
  thinkingBudget: undefined,
  limitField: 'max_tokens',
};

const read = (body: object) =>
  openaiResponses.request.read(readJsonObject(JSON.stringify({ model: 'main', input: 'Hi', ...body })));
const written = (body: object) => JSON.parse(String(openaiResponses.request.write(read(body), FIELDS)));

/** The list of items, as an upstream gets its text. */
function inputText(items: string[]): string {
  const request = openaiResponses.request.read(readJsonObject(`{"input":[${items.join(',')}],"model":"main"}`));
  return /"input":(.*),"model":/.exec(String(openaiResponses.request.write(request, FIELDS)))?.[1] ?? '';
}
const SAID = '"role":"assistant","content":"Yes"';

/** As an answer of a translated model has it. */
const sealedByUs = (id: string) =>
  JSON.stringify({ id, type: 'reasoning', summary: [], encrypted_content: packReasoning('o', { text: 'Hm' }) });

function refused(body: object): { param: unknown; message: string } {
  try {
    read(body);
  } catch (error) {
    if (error instanceof Fault) return { param: error.details.param, message: error.details.message ?? '' };
    throw error;
  }
  throw new Error('not refused');
}

describe('reading', () => {
  test('the fields we own', () => {
    expect(read({ stream: true, max_output_tokens: 100, store: true })).toMatchObject({
      model: 'main',
      stream: true,
      includeUsage: true,
      maxOutputTokens: 100,
      choices: 1,
    });
    expect(read({}).maxOutputTokens).toBeUndefined();
  });

  test.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: { id: 'conv_1' } }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['background', { background: true }],
    [
      'input[1]',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
    ],
    ['input[0]', { input: [{ id: 'msg_1' }] }],
    ['input[0]', { input: [{ content: 'Hi' }] }],
    ['input', { input: [] }],
    ['input', { input: 5 }],
    ['max_output_tokens', { max_output_tokens: 0 }],
  ])('%s is refused by its name: %j', (param, body) => {
    expect(refused(body)).toMatchObject({ param, message: expect.not.stringMatching(/^(Send|Set|Remove) /) });
  });

  test('null is as good as nothing', () => {
    expect(() => read({ previous_response_id: null, conversation: null, background: false })).not.toThrow();
  });

  test('media count by their kind, wherever they stand', () => {
    const url = `data:image/png;base64,${png(8, 8, Buffer.alloc(75_000)).toString('base64')}`;
    const image = { type: 'input_image', image_url: url, detail: 'auto' };
    for (const item of [
      { role: 'user', content: [image] },
      { type: 'function_call_output', call_id: 'c', output: [image] },
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: url } },
      { type: 'image_generation_call', id: 'ig', result: url },
    ]) {
      const { upper, isOpen } = read({ input: [item] }).input;
      expect(upper).toBeLessThan(6_000);
      expect(isOpen).toBe(false);
    }
    const file = { type: 'input_file', file_data: Buffer.alloc(30_000, 'words ').toString('base64') };
    expect(read({ input: [{ role: 'user', content: [file] }] }).input.upper).toBeGreaterThan(10_000);
    expect(read({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }).input.isOpen).toBe(
      true,
    );
  });

  test.each([
    { type: 'message', role: 'user', content: [{ type: 'input_video', video_url: 'https://x.test/a.mp4' }] },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_video', file_id: 'f' }] },
  ])('a part of an unknown kind with an address or an id may be of any size: %j', (item) => {
    expect(read({ input: [item] }).input.isOpen).toBe(true);
  });

  const ADDRESS = 'https://x.test/a';
  test.each([
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: '', annotations: [{ url: ADDRESS }] }],
    },
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: ADDRESS }] },
    { type: 'function_call', call_id: 'c', name: 'fetch', arguments: JSON.stringify({ url: ADDRESS }) },
    { type: 'function_call_output', call_id: 'c', output: ADDRESS },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: ADDRESS }] },
    { type: 'shell_call_output', call_id: 'c', output: [{ stdout: ADDRESS, stderr: '', outcome: { type: 'exit' } }] },
    { type: 'web_search_call', id: 'ws', action: { type: 'open_page', url: ADDRESS } },
    { type: 'file_search_call', id: 'fs', queries: ['a'], results: [{ file_id: 'f', text: 'A' }] },
  ])('an address that is only told is words: %j', (item) => {
    expect(read({ input: [item] }).input.isOpen).toBe(false);
  });

  test('long text counts wherever it stands', () => {
    const text = 'word '.repeat(1_000);
    for (const body of [{ input: text }, { instructions: text }, { input: [{ role: 'user', content: text }] }]) {
      expect(read(body).input.upper).toBeGreaterThan(3_000);
    }
  });
});

describe('writing', () => {
  test('only our own fields change, byte by byte', () => {
    const text = '{ "model" : "main", "input":[ {"role":"user","content":"\\u00e9"} ], "big": 12345678901234567890 }';
    const request = openaiResponses.request.read(readJsonObject(text));
    expect(openaiResponses.request.write(request, FIELDS)).toBe(
      '{"max_output_tokens":50,"store":false,"model" : "up","input":[ {"role":"user","content":"\\u00e9"} ],"big": 12345678901234567890}',
    );
  });

  test('nothing is stored, and paths of the client stay with it', () => {
    const body = written({ store: true, client_metadata: { cwd: '/home/someone' }, metadata: { a: 'b' } });
    expect(body).toMatchObject({ model: 'up', store: false, max_output_tokens: 50, metadata: { a: 'b' } });
    expect(body.client_metadata).toBeUndefined();
  });

  test('reasoning goes without its id, and ours not at all', () => {
    const native = { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' };
    const { input } = written({
      input: [
        { role: 'user', content: 'Hi' },
        { id: 'rs_1', ...native },
        { id: 'rs_2', type: 'reasoning', summary: [], encrypted_content: packReasoning('o', { text: 'Hm' }) },
        { id: 'rs_3', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
        { id: 'rs_4', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] },
        { id: 'msg_1', type: 'message', role: 'assistant', content: 'Yes' },
      ],
    });
    expect(input).toEqual([
      { role: 'user', content: 'Hi' },
      native,
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] },
      { type: 'message', role: 'assistant', content: 'Yes' },
    ]);
  });

  test.each(['{"id":"rs_1","type":"reasoning","summary":[]}', sealedByUs('rs_1')])(
    'what the model made after reasoning that stays behind goes without its id, and nothing else changes: %s',
    (reasoning) => {
      const kinds = [
        'web_search',
        'file_search',
        'computer',
        'code_interpreter',
        'mcp',
        'image_generation',
        'custom_tool',
      ];
      const made = [...kinds.map((kind) => `"type":"${kind}_call","n":12345678901234567890`), SAID];
      const withIds = made.map((members) => `{"id":"x_1",${members}}`);
      const user = '{"id":"msg_0", "role":"user","content":"\\u00e9"}';
      const kept = ['{"id":"mcpr_1", "type":"mcp_approval_request"}', '{"id":"o_1", "type":"shell_call_output"}'];
      const withoutIds = made.map((members) => `{${members}}`);
      // Some clients tell what a tool has found in a message of the user's, before the next call of the same turn.
      const written = inputText([user, ...withIds, reasoning, ...kept, ...withIds, user, ...withIds]);
      expect(written).toBe(`[${[user, ...withIds, ...kept, ...withoutIds, user, ...withoutIds].join(',')}]`);
    },
  );

  test('what another model wanted back with a call does not travel on', () => {
    const callId = tagToolId('call_1', { origin: 'abcdefghij', value: 'x'.repeat(500) });
    const { input } = written({
      input: [
        { type: 'function_call', call_id: callId, name: 'look', arguments: '{"n":12345678901234567890}' },
        { type: 'function_call_output', call_id: callId, output: 'ok' },
      ],
    });
    expect(input.map(({ call_id }: { call_id: string }) => call_id)).toEqual(['call_1', 'call_1']);
    expect(input[0].arguments).toBe('{"n":12345678901234567890}');
  });

  test.each([
    ['a text', 'Hi', [{ role: 'user', content: 'Hi' }]],
    ['items', [{ role: 'user', content: 'Hi' }], [{ role: 'user', content: 'Hi' }]],
    ['items of which none goes on', [{ type: 'reasoning', summary: [] }], []],
  ])('a begun answer stands after %s', (_, input, before) => {
    const body = JSON.parse(String(openaiResponses.request.write(read({ input }), FIELDS, undefined, 'One \n')));
    expect(body.input).toEqual([...before, { role: 'assistant', content: 'One' }]);
  });
});

describe('whole answers', () => {
  const answer = (fields: object) =>
    openaiResponses.answer.read(
      readJsonObject(JSON.stringify({ object: 'response', status: 'completed', output: [], ...fields })),
    );

  test('output, usage and why it ended', () => {
    const output = [
      { type: 'reasoning', summary: [] },
      { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
    ];
    expect(answer({ output, usage: { input_tokens: 3, output_tokens: 2 } })).toMatchObject({
      output: { hasContent: true, hasReasoning: true },
      usage: { buckets: { input: 3, output: 2 } },
      finish: 'other',
    });
    expect(answer({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })?.finish).toBe(
      'length',
    );
    expect(answer({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })?.finish).toBe('other');
  });

  test.each([
    { status: 'failed', error: { message: 'x' } },
    { status: 'in_progress' },
    { status: 'cancelled' },
    { output: undefined },
  ])('%j is no answer', (fields) => {
    expect(answer(fields)).toBeUndefined();
  });
});
