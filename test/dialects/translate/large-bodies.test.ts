// Requests and answers as large as they may be: none holds up everybody else.

import { describe, expect, test } from 'bun:test';
import { anthropicMessages } from '../../../src/dialects/anthropic-messages/dialect.ts';
import { isRefused } from '../../../src/dialects/anthropic-messages/upstream/write-format.ts';
import { type Carrier, sameDialectCarrier } from '../../../src/dialects/carrier.ts';
import { carry } from '../../../src/dialects/carry.ts';
import type { Dialect } from '../../../src/dialects/dialect.ts';
import { openaiChat } from '../../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../../src/dialects/openai-responses/dialect.ts';
import { type JsonObject, readJsonObject } from '../../../src/kit/json/json.ts';
import type { Endpoint } from '../../../src/vendors/endpoints.ts';
import { quirksOf } from '../../../src/vendors/quirks.ts';
import { refusedParam } from '../../support/conversation.ts';
import { cpuMs } from '../../support/cpu-time.ts';

/** Far above what it takes, far below what it took when every turn, call or item was read again for every other one. */
const TURNS_WITHIN_MS = 2_000;
const CALLS_WITHIN_MS = 8_000;
const ITEMS_WITHIN_MS = 5_000;
const MODELS: Partial<Record<Endpoint, string>> = {
  chat: 'gpt-5-mini',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
  responses: 'gpt-5-mini',
};
const UPSTREAMS = ['chat', 'messages', 'gemini'] as const;

function carrierOf(dialect: Dialect, body: object, endpoint: Endpoint): Carrier {
  const request = dialect.readRequest(readJsonObject(JSON.stringify({ model: 'm', max_tokens: 100, ...body })));
  const quirks = quirksOf('openai');
  if (endpoint === dialect.endpoint) return sameDialectCarrier(dialect, request, false);
  const to = { channel: { endpoints: [endpoint], quirks }, model: MODELS[endpoint] ?? '', prefill: false };
  return carry(dialect, request, to, { requestId: 'req_1', createdAt: 1, hashUser: (id) => id, isFree: false });
}

function write(dialect: Dialect, body: object, endpoint: Endpoint): string {
  const fields = { model: 'x', maxOutputTokens: 100, thinkingBudget: undefined, limitField: 'max_tokens' } as const;
  return carrierOf(dialect, body, endpoint).writeRequest(fields);
}

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe.each(UPSTREAMS)('to %s', (endpoint) => {
  const turns = many(10_000, () => ({ role: 'user', content: 'x' }));

  test.each<[name: string, dialect: Dialect, body: object]>([
    ['chat messages', openaiChat, { messages: turns }],
    ['messages', anthropicMessages, { messages: turns }],
    ['items', openaiResponses, { input: turns }],
  ])('%s of one role without end', (_, dialect, body) => {
    expect(cpuMs(() => write(dialect, body, endpoint))).toBeLessThan(TURNS_WITHIN_MS);
  });

  test('chat calls whose arguments are objects', () => {
    const messages = many(4_000, (index) => [
      {
        role: 'assistant',
        tool_calls: [{ id: `c${index}`, function: { name: 'f', arguments: { a: 'x'.repeat(200) } } }],
      },
      { role: 'tool', tool_call_id: `c${index}`, content: 'y' },
    ]).flat();
    expect(cpuMs(() => write(openaiChat, { messages }, endpoint))).toBeLessThan(CALLS_WITHIN_MS);
  });
});

test.each<[name: string, dialect: Dialect, field: string, upstream: Endpoint]>([
  ['chat messages', openaiChat, 'messages', 'gemini'],
  ['messages', anthropicMessages, 'messages', 'chat'],
  ['items', openaiResponses, 'input', 'messages'],
])('%s beyond 10,000 are refused, unless nothing is translated', (_, dialect, field, upstream) => {
  const body = { [field]: many(10_001, () => ({ role: 'user', content: 'x' })) };
  expect(refusedParam(() => carrierOf(dialect, body, upstream))).toBe(field);
  expect(() => carrierOf(dialect, body, dialect.endpoint)).not.toThrow();
});

test.each(['chat', 'gemini'] as const)('stop sequences that would be watched for here, to %s', (endpoint) => {
  const refused = (stop_sequences: unknown) =>
    refusedParam(() =>
      carrierOf(anthropicMessages, { messages: [{ role: 'user', content: 'x' }], stop_sequences }, endpoint),
    );
  expect(refused(many(90_000, (index) => `s${index}`))).toBe('stop_sequences');
  expect(refused(many(10, () => 'x'.repeat(100_000)))).toBe('stop_sequences');
  expect(refused(['a', 5])).toBe('stop_sequences');
});

test('a whole chat answer of calls whose arguments are objects', () => {
  const calls = many(5_000, (index) => ({
    id: `c${index}`,
    function: { name: 'f', arguments: { a: 'x'.repeat(200) } },
  }));
  const choices = [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: calls } }];
  const carrier = carrierOf(anthropicMessages, { messages: [{ role: 'user', content: 'x' }] }, 'chat');
  const read = () => {
    const answer = carrier.readAnswer(readJsonObject(JSON.stringify({ choices })));
    expect(answer).toMatchObject({ facts: { output: { hasContent: true } } });
  };
  expect(cpuMs(read)).toBeLessThan(CALLS_WITHIN_MS);
});

test('a stream of calls without end to a client that an interrupted answer is kept for', () => {
  const request = openaiResponses.readRequest(readJsonObject('{"model":"m","input":"x","stream":true}'));
  const reader = openaiResponses.createStreamReader(request);
  const writer = openaiResponses.createStreamWriter(request, { keepText: true });
  const events = many(12_000, (index) =>
    ['added', 'done'].map((end) => ({
      type: `response.output_item.${end}`,
      output_index: index,
      item: { type: 'function_call', id: `f${index}`, call_id: `c${index}`, name: 'f', arguments: '{}' },
    })),
  ).flat();
  const pass = () => {
    for (const event of events) {
      for (const read of reader.read({ event: event.type, data: JSON.stringify(event) })) writer.write(read);
    }
  };
  expect(cpuMs(pass)).toBeLessThan(ITEMS_WITHIN_MS);
});

/** What work takes when nothing else disturbs it. */
const leastMs = (work: () => unknown) => Math.min(...many(5, () => cpuMs(work)));

describe('an address that holds its data, which no pattern may search from every letter', () => {
  const SIZE = 200_000;
  const PLAIN = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(SIZE)}A`;
  const HOSTILE: readonly (readonly [name: string, address: string])[] = [
    ['a head of options alone', `data:image/png${';'.repeat(SIZE)};base64,iVBORw0KGgo=`],
    ['a head of options without an end', `data:image/png${';'.repeat(SIZE)}`],
    ['a head of one word without an end', `data:${'a'.repeat(SIZE)}`],
    ['a blank after every letter', `data:image/png;base64,iVBORw0KGgo=${' A A A A'.repeat(SIZE / 8)}`],
  ];
  const KINDS: readonly (readonly [name: string, dialect: Dialect, bodyOf: (address: string) => object])[] = [
    ['a chat picture', openaiChat, (url) => ({ messages: said({ type: 'image_url', image_url: { url } }) })],
    ['a chat file', openaiChat, (data) => ({ messages: said({ type: 'file', file: { file_data: data } }) })],
    ['a picture', openaiResponses, (url) => ({ input: said({ type: 'input_image', image_url: url }) })],
    ['a file', openaiResponses, (data) => ({ input: said({ type: 'input_file', file_data: data }) })],
    ['an unknown part', openaiChat, (url) => ({ messages: said({ type: 'odd_url', odd_url: { url } }) })],
  ];
  const said = (part: object) => [{ role: 'user', content: [part] }];
  const attempt = (dialect: Dialect, body: object) => () => {
    // Most are refused, each as late as it can be.
    refusedParam(() => write(dialect, body, 'messages'));
  };

  test.each(KINDS)('%s', (_, dialect, bodyOf) => {
    const plain = leastMs(attempt(dialect, bodyOf(PLAIN)));
    for (const [name, address] of HOSTILE) {
      const took = leastMs(attempt(dialect, bodyOf(address)));
      expect({ name, isLong: took > 15 * plain }).toEqual({ name, isLong: false });
    }
  });
});

describe('lists of tools take as long as they are, not as their square', () => {
  const SOME = 1_500;
  const turn = [{ role: 'user', content: 'x' }];
  const tool = (index: number) => ({ type: 'function', function: { name: `f${index}`, parameters: {} } });
  const withSchema = (parameters: object) => ({
    messages: turn,
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
  });
  const properties = (count: number) => Object.fromEntries(many(count, (index) => [`p${index}`, {}]));
  const CASES: readonly (readonly [name: string, dialect: Dialect, to: Endpoint, bodyOf: (count: number) => object])[] =
    [
      [
        'duties of all parts of a schema',
        openaiChat,
        'gemini',
        (count) => withSchema({ allOf: many(count, (index) => ({ required: [`p${index}`] })) }),
      ],
      [
        'properties beside choices',
        openaiChat,
        'gemini',
        (count) =>
          withSchema({
            allOf: [
              { type: 'object', properties: properties(count) },
              { anyOf: many(count, () => ({ type: 'object' })) },
            ],
          }),
      ],
      [
        'references to one part of a format',
        openaiChat,
        'messages',
        (count) => {
          const refs = many(count, (index) => [`r${index}`, { $ref: `#/$defs/${index % 2 ? 'b' : '%62'}ig` }]);
          const big = { type: 'object', properties: properties(count) };
          const schema = { type: 'object', properties: Object.fromEntries(refs), $defs: { big } };
          return { messages: turn, response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } };
        },
      ],
      [
        'tools that may be called',
        openaiChat,
        'responses',
        (count) => ({
          messages: turn,
          tools: many(count, tool),
          tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: many(count, tool) } },
        }),
      ],
      [
        'tools of the vendor that may be called',
        openaiChat,
        'messages',
        (count) => {
          const vendors = many(count * 4, (index) => ({ type: `vendor_${index}` }));
          const tools = [tool(0), ...vendors];
          const allowed = { mode: 'auto', tools: [tool(0), ...vendors.toReversed()] };
          return { messages: turn, tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } };
        },
      ],
      [
        'tools that stay behind, as many as may be called',
        openaiResponses,
        'responses',
        (count) => {
          const painters = many(count * 4, (index) => ({ type: `image_generation_${index}` }));
          const own = { type: 'function', name: 'f', parameters: {} };
          const choice = { type: 'allowed_tools', mode: 'auto', tools: [own, ...painters.toReversed()] };
          return { input: 'x', tools: [own, ...painters], tool_choice: choice };
        },
      ],
      [
        'calls of as many tools',
        openaiResponses,
        'chat',
        (count) => ({
          input: many(count * 0.75, (index) => [
            { type: 'function_call', call_id: `c${index}`, name: `f${index}`, arguments: '{}' },
            { type: 'function_call_output', call_id: `c${index}`, output: 'y' },
          ]).flat(),
          tools: many(count, (index) => ({ type: 'function', name: `f${index}`, parameters: {} })),
        }),
      ],
      [
        'a namespace that is named again and again',
        openaiResponses,
        'chat',
        (count) => {
          const tools = many(count, (index) => ({ type: 'function', name: `f${index}`, parameters: {} }));
          return {
            input: 'x',
            tools: [{ type: 'namespace', name: 'n', tools }],
            tool_choice: {
              type: 'allowed_tools',
              mode: 'auto',
              tools: many(count, () => ({ type: 'namespace', name: 'n' })),
            },
          };
        },
      ],
    ];

  test.each(CASES)('%s', (_, dialect, to, bodyOf) => {
    const [few, much] = [bodyOf(SOME), bodyOf(SOME * 4)];
    const ratio = leastMs(() => write(dialect, much, to)) / leastMs(() => write(dialect, few, to));
    // Four times as much: what looks at each of them for each of them would take sixteen times as long.
    expect(ratio).toBeLessThan(12);
  });
});

describe('a schema for an answer is walked once', () => {
  const LEVELS = 20;
  const schemaOf = (properties: JsonObject, leaf: JsonObject): JsonObject => {
    const large = many(LEVELS, () => 0).reduce<JsonObject>((inner) => ({ properties: { x: inner } }), leaf);
    return { type: 'object', properties, $defs: { large } };
  };
  const leaf = { properties: Object.fromEntries(many(30_000, (index) => [`p${index}`, { type: 'string' }])) };
  const refer = (references: readonly string[]) =>
    Object.fromEntries(references.map((reference, index) => [`r${index}`, { $ref: reference }]));
  const long = many(2_000, () => 'a').join('/');

  test.each([
    ['each level of it is referred to', many(LEVELS, (level) => `#/$defs/large${'/properties/x'.repeat(level)}`), leaf],
    ['references lead nowhere on long ways', many(1_000, (index) => `#/${index}/${long}`), {}],
  ])('though %s', (_, references, inner) => {
    const plain = references.map((reference) => `elsewhere${reference}`);
    const [few, much] = [schemaOf(refer(plain), inner), schemaOf(refer(references), inner)];
    const ratio = leastMs(() => isRefused(much)) / leastMs(() => isRefused(few));
    expect(ratio).toBeLessThan(30);
  });
});

test('the size of an image is read once, however many routes ask for it', () => {
  const png = '89504e470d0a1a0a0000000d494844520000002000000020';
  const url = `data:image/png;base64,${Buffer.from(png, 'hex').toString('base64')}`;
  const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
  const request = openaiChat.readRequest(readJsonObject(JSON.stringify({ model: 'm', max_tokens: 100, messages })));
  const [image] = request.input.images ?? [];
  const { size } = image ?? {};
  expect(size).toEqual({ width: 32, height: 32 });
  expect(image?.size).toBe(size);
});
