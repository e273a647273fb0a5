// An answer written for Responses clients: every legal order of events keeps the grammar, and the vendor's own SDK makes of
// it what was said.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import OpenAI from 'openai';
import { openaiResponsesClient } from '../../../../src/dialects/openai-responses/client/adapter.ts';
import { openaiResponses } from '../../../../src/dialects/openai-responses/dialect.ts';
import type { AnswerContext } from '../../../../src/dialects/translate/adapters.ts';
import type { AnswerEvent, Block, StopReason } from '../../../../src/dialects/translate/answer-events.ts';
import type { Tool } from '../../../../src/dialects/translate/conversation.ts';
import { unpackReasoning, untagToolId } from '../../../../src/dialects/translate/opaque.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { NO_BUCKETS } from '../../../../src/store/rows.ts';
import type { Answer } from '../../../support/answer.ts';
import { assembleResponses } from '../../../support/assemble-responses.ts';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: undefined,
  schema: undefined,
  strict: undefined,
  isCustom: false,
  at: 'tools[0]',
  ...more,
});
const TOOLS = [
  tool('look'),
  tool('patch', { isCustom: true }),
  tool('crm__find', { shown: { namespace: 'crm', name: 'find' } }),
];

function contextOf(body: object = {}): AnswerContext {
  const asked = { model: 'main', input: 'Hi', stream: true, include: ['reasoning.encrypted_content'], ...body };
  return {
    requestId: 'req_1',
    createdAt: 1_790_000_000,
    model: 'main',
    origin: 'abcdef0123',
    tools: TOOLS,
    inputTokens: 5,
    asked: readJsonObject(JSON.stringify(asked)),
  };
}

/** What a client gets: written, read by the dialect's own reader, sent by its own writer. */
function deliver(events: readonly AnswerEvent[], context = contextOf()): string {
  const request = openaiResponses.request.read(context.asked);
  const writer = openaiResponsesClient.createEventWriter(context);
  const reader = openaiResponses.stream.createReader(request);
  const out = openaiResponses.stream.createWriter(request, { keepText: false });
  const frames = events.flatMap(writer.write);
  const sent = frames.flatMap((frame) => reader.read(frame)).map((event) => out.write(event));
  const usage = { buckets: { ...NO_BUCKETS, input: 5, output: 3 }, reasoning: 1 };
  return sent.join('') + out.end({ usage, cost: 9n, isOurs: true });
}

const frames = (events: readonly AnswerEvent[], context = contextOf()): Answer[] => {
  const writer = openaiResponsesClient.createEventWriter(context);
  return events.flatMap(writer.write).map(({ data }) => JSON.parse(data));
};
const block = (opened: Block, ...texts: string[]): AnswerEvent[] => [
  { type: 'open', block: opened },
  ...texts.map((text): AnswerEvent => ({ type: 'delta', text })),
  { type: 'close' },
];
const text = (...texts: string[]) => block({ kind: 'text' }, ...texts);
const call = (id: string, name: string, ...texts: string[]) => block({ kind: 'tool', id, name }, ...texts);
const stop = (reason: StopReason = 'end'): AnswerEvent => ({ type: 'stop', reason });

const anyText = fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 });
const anyBlock = fc.oneof(
  anyText.map((texts) => text(...texts)),
  anyText.map((texts) => block({ kind: 'refusal' }, ...texts)),
  fc.tuple(anyText, fc.option(fc.string(), { nil: undefined })).map(([texts, signature]) => {
    const said = block({ kind: 'reasoning' }, ...texts);
    return signature === undefined ? said : said.toSpliced(-1, 0, { type: 'sign', signature });
  }),
  fc.string().map((data) => block({ kind: 'redacted', data })),
  anyText.map((texts) => [
    ...text(...texts).slice(0, -1),
    { type: 'cite', citation: { url: 'https://a.test', title: 'A', start: 0, end: 1 } } as const,
    { type: 'close' } as const,
  ]),
  fc
    .tuple(fc.constantFrom('a', 'b', ''), fc.constantFrom('look', 'patch', 'crm__find', 'unknown'), anyText)
    .map(([id, name, texts]) => call(id, name, ...texts)),
);
const anyAnswer = fc
  .tuple(fc.array(anyBlock, { maxLength: 6 }), fc.constantFrom<StopReason>('end', 'tool', 'length', 'filter'))
  .map(([blocks, reason]) => [...blocks.flat(), stop(reason), { type: 'done' } as const]);
const anyBody = fc.constantFrom({}, { include: null }, { instructions: 'Be brief.', tools: [{ type: 'web_search' }] });

function fakeClient(stream: string): OpenAI {
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(stream, { headers });
  return new OpenAI({ apiKey: 'none', baseURL: 'http://gateway.test/v1', fetch, maxRetries: 0 });
}

/** The vendor's own accumulator. */
async function accumulate(stream: string): Promise<Answer> {
  return fakeClient(stream).responses.stream({ model: 'main', input: 'Hi' }).finalResponse();
}

describe('any legal order of events', () => {
  test('keeps the grammar', () => {
    fc.assert(
      fc.property(anyAnswer, anyBody, (events, body) => {
        const stream = deliver(events, contextOf(body));
        expect(assembleResponses(stream).complete).toBe(true);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  test('is taken by the SDK, which ends with what the last event says', async () => {
    await fc.assert(
      fc.asyncProperty(anyAnswer, async (events) => {
        const stream = deliver(events);
        const whole = JSON.parse(openaiResponsesClient.writeWhole(events, contextOf()));
        const got = await accumulate(stream);
        const bare = (items: Answer[]) =>
          items.map(({ parsed_arguments: _, content, ...item }) => ({
            ...item,
            ...(content ? { content: content.map(({ parsed: __, ...part }: Answer) => part) } : {}),
          }));
        expect(bare(got.output)).toEqual(whole.output);
        expect(got.status).toBe(whole.status);
      }),
      { numRuns: 100, seed: 7 },
    );
  });

  test('stays within it when it is cut at any event', () => {
    fc.assert(
      fc.property(anyAnswer, fc.nat(), (events, at) => {
        const cut = frames(events).slice(0, at % 30);
        const lines = cut.map((json) => `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`);
        const isWhole = cut.some(({ type }) => /^response\.(completed|incomplete)$/.test(type));
        if (!isWhole) expect(assembleResponses(lines.join('')).complete).toBe(false);
      }),
      { seed: 7 },
    );
  });
});

describe('the life of a response', () => {
  test('text, from the beginning to the end', async () => {
    const stream = deliver([...text('Hi', ' there'), stop()]);
    expect(stream.match(/^event: .*/gm)?.map((line) => line.slice(7))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const response = await accumulate(stream);
    expect(response).toMatchObject({
      id: 'resp_1',
      object: 'response',
      model: 'main',
      status: 'completed',
      store: false,
      output_text: 'Hi there',
      usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8, cost_nano: '9' },
    });
  });

  test('nothing is sent before the first word', () => {
    expect(frames([{ type: 'open', block: { kind: 'text' } }])).toEqual([]);
  });

  test('text that pauses is one text; a refusal is a part of its own', () => {
    const [message] = frames([...text('a'), ...text('b'), ...block({ kind: 'refusal' }, 'No.'), stop()]).at(-1).response
      .output;
    expect(message.content.map(({ text: said, refusal }: Answer) => said ?? refusal)).toEqual(['ab', 'No.']);
  });

  test('reasoning is shown, and comes back to its maker', () => {
    const thought = block({ kind: 'reasoning' }, 'Hm', '…').toSpliced(-1, 0, { type: 'sign', signature: 'sig' });
    const [item] = frames([...thought, ...text('Yes'), stop()]).at(-1).response.output;
    expect(item.summary).toEqual([{ type: 'summary_text', text: 'Hm…' }]);
    expect(unpackReasoning(item.encrypted_content)).toEqual({
      text: 'Hm…',
      redacted: undefined,
      opaque: { origin: 'abcdef0123', value: 'sig' },
    });
    const [hidden] = frames([...block({ kind: 'redacted', data: 'xyz' }), stop()]).at(-1).response.output;
    expect(unpackReasoning(hidden.encrypted_content)).toMatchObject({ text: '', redacted: 'xyz' });
  });

  test('a client that did not ask for it gets no reasoning to give back', () => {
    const context = contextOf({ include: undefined });
    const answer = frames(
      [...block({ kind: 'redacted', data: 'xyz' }), ...block({ kind: 'reasoning' }, 'Hm'), stop()],
      context,
    );
    expect(answer.at(-1).response.output).toEqual([
      { id: 'rs_1_0', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
    ]);
  });

  test('calls: of functions, of custom tools, of a namespace', () => {
    const { output } = frames([
      ...call('call_a', 'look', '{"n":', '12345678901234567890}'),
      ...call('call_b', 'patch', '*** Begin'),
      ...call('call_c', 'crm__find'),
      stop('tool'),
    ]).at(-1).response;
    expect(output).toEqual([
      {
        id: 'fc_1_0',
        type: 'function_call',
        status: 'completed',
        arguments: '{"n":12345678901234567890}',
        call_id: 'call_a',
        name: 'look',
      },
      {
        id: 'ctc_1_1',
        type: 'custom_tool_call',
        status: 'completed',
        input: '*** Begin',
        call_id: 'call_b',
        name: 'patch',
      },
      {
        id: 'fc_1_2',
        type: 'function_call',
        status: 'completed',
        arguments: '{}',
        call_id: 'call_c',
        name: 'find',
        namespace: 'crm',
      },
    ]);
  });

  test('what a model wants back with a call travels in its id', () => {
    const opened: Block = { kind: 'tool', id: 'call_a', name: 'look', signature: 'thought' };
    const [item] = frames([...block(opened, '{}'), stop('tool')]).at(-1).response.output;
    expect(untagToolId(item.call_id)).toEqual({ id: 'call_a', opaque: { origin: 'abcdef0123', value: 'thought' } });
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['filter', 'content_filter'],
  ] as const)('%s: incomplete, and so is the last item', (reason, told) => {
    const { type, response } = frames([...text('Hi'), ...call('a', 'look', '{"at'), stop(reason)]).at(-1);
    expect(type).toBe('response.incomplete');
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: told } });
    expect(response.output.map(({ status }: Answer) => status)).toEqual(['completed', 'incomplete']);
  });

  test('a citation counts from the beginning of its own text', () => {
    const cite: AnswerEvent = { type: 'cite', citation: { url: 'https://a.test', title: 'A', start: 4, end: 6 } };
    const { output } = frames([
      ...text('One'),
      ...call('a', 'look', '{}'),
      ...text('Two').toSpliced(-1, 0, cite),
      stop(),
    ]).at(-1).response;
    expect(output[2].content[0].annotations).toEqual([
      { type: 'url_citation', url: 'https://a.test', title: 'A', start_index: 1, end_index: 3 },
    ]);
  });

  test('settings of the request are echoed in their own bytes', () => {
    const asked =
      '{"model":"main","input":"Hi","tools":[{"type":"function","name":"a","parameters":{"2":1,"1":12345678901234567890}}],"temperature":0.50}';
    const context = { ...contextOf(), asked: readJsonObject(asked) };
    const whole = openaiResponsesClient.writeWhole([...text('Hi'), stop()], context);
    expect(whole).toContain('"parameters":{"2":1,"1":12345678901234567890}');
    expect(whole).toContain('"temperature":0.50');
  });

  test('a whole answer is the last event of the stream', () => {
    const events = [...block({ kind: 'reasoning' }, 'Hm'), ...text('Hi'), ...call('a', 'look', '{}'), stop('tool')];
    const { response } = frames(events).at(-1);
    const whole = readJsonObject(openaiResponsesClient.writeWhole(events, contextOf()));
    expect(whole.value).toEqual(response);
    expect(openaiResponses.answer.read(whole)).toMatchObject({ output: { hasContent: true, hasReasoning: true } });
  });
});

test('our own failure reaches users of the SDK as a response that failed', async () => {
  const context = contextOf();
  const request = openaiResponses.request.read(context.asked);
  const reader = openaiResponses.stream.createReader(request);
  const out = openaiResponses.stream.createWriter(request, { keepText: false });
  const writer = openaiResponsesClient.createEventWriter(context);
  const begun = text('Hi')
    .slice(0, 2)
    .flatMap(writer.write)
    .flatMap((frame) => reader.read(frame))
    .map(out.write);
  const failed = out.error({ error: { message: 'Try again.', code: 'upstream_failed' } });
  const events: string[] = [];
  for await (const { type } of await fakeClient(begun.join('') + out.keepAlive() + failed).responses.create({
    model: 'main',
    input: 'Hi',
    stream: true,
  })) {
    events.push(type);
  }
  expect(events.slice(-2)).toEqual(['response.in_progress', 'response.failed']);
});
