// `npm run bench:inputs`: inputs that somebody made to take long. Each must take as long as it is large, and not as its
// square. Ends with 1 if one takes longer than its limit; run it on a quiet machine.

import { cleanText } from '../src/channels/clean-text.ts';
import { anthropicMessages } from '../src/dialects/anthropic-messages/dialect.ts';
import { isRefused } from '../src/dialects/anthropic-messages/upstream/write-format.ts';
import type { Dialect } from '../src/dialects/dialect.ts';
import { openaiChat } from '../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../src/dialects/openai-responses/dialect.ts';
import { type JsonObject, readJsonObject } from '../src/kit/json/json.ts';
import type { Endpoint } from '../src/vendors/endpoints.ts';
import { refusedParam } from '../test/support/conversation.ts';
import { many, writeRequest } from '../test/support/write-request.ts';

/** The processor's time that work takes when nothing else disturbs it. */
const leastMs = (work: () => unknown) => Math.min(...many(5, () => cpuMs(work)));

function cpuMs(work: () => unknown): number {
  const since = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

let anyLong = false;
/** How many times as long as the plain work the hostile one takes. */
function compare(name: string, hostile: () => unknown, plain: () => unknown, limit: number): void {
  const ratio = leastMs(hostile) / Math.max(leastMs(plain), 0.01);
  anyLong ||= ratio > limit;
  console.log(`${ratio > limit ? 'LONG' : 'ok  '} ${ratio.toFixed(1).padStart(6)} of ${limit}  ${name}`);
}

console.log('\nan address that holds its data, which no pattern may search from every letter');
{
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
    refusedParam(() => writeRequest(dialect, body, 'messages'));
  };

  for (const [kind, dialect, bodyOf] of KINDS) {
    const plain = attempt(dialect, bodyOf(PLAIN));
    for (const [name, address] of HOSTILE) compare(`${kind}: ${name}`, attempt(dialect, bodyOf(address)), plain, 15);
  }
}

console.log('\nlists of tools take as long as they are, not as their square');
{
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

  for (const [name, dialect, to, bodyOf] of CASES) {
    const [few, much] = [bodyOf(SOME), bodyOf(SOME * 4)];
    // Four times as much: what looks at each of them for each of them would take sixteen times as long.
    compare(
      name,
      () => writeRequest(dialect, much, to),
      () => writeRequest(dialect, few, to),
      12,
    );
  }
}

console.log('\na schema for an answer is walked once');
{
  const LEVELS = 20;
  const schemaOf = (properties: JsonObject, leaf: JsonObject): JsonObject => {
    const large = many(LEVELS, () => 0).reduce<JsonObject>((inner) => ({ properties: { x: inner } }), leaf);
    return { type: 'object', properties, $defs: { large } };
  };
  const leaf = { properties: Object.fromEntries(many(30_000, (index) => [`p${index}`, { type: 'string' }])) };
  const refer = (references: readonly string[]) =>
    Object.fromEntries(references.map((reference, index) => [`r${index}`, { $ref: reference }]));
  const long = many(2_000, () => 'a').join('/');

  const REFERENCES = [
    ['each level of it is referred to', many(LEVELS, (level) => `#/$defs/large${'/properties/x'.repeat(level)}`), leaf],
    ['references lead nowhere on long ways', many(1_000, (index) => `#/${index}/${long}`), {}],
  ] as const;
  for (const [name, references, inner] of REFERENCES) {
    const plain = references.map((reference) => `elsewhere${reference}`);
    const [few, much] = [schemaOf(refer(plain), inner), schemaOf(refer(references), inner)];
    compare(
      name,
      () => isRefused(much),
      () => isRefused(few),
      30,
    );
  }
}

console.log('\na stream of calls without end to a client that an interrupted answer is kept for');
{
  const request = openaiResponses.request.read(readJsonObject('{"model":"m","input":"x","stream":true}'));
  const events = many(12_000, (index) =>
    ['added', 'done'].map((end) => ({
      type: `response.output_item.${end}`,
      output_index: index,
      item: { type: 'function_call', id: `f${index}`, call_id: `c${index}`, name: 'f', arguments: '{}' },
    })),
  ).flat();
  const pass = (count: number) => () => {
    const reader = openaiResponses.stream.createReader(request);
    const writer = openaiResponses.stream.createWriter(request, { keepText: true });
    for (const event of events.slice(0, count)) {
      for (const read of reader.read({ event: event.type, data: JSON.stringify(event) })) writer.write(read);
    }
  };
  compare('four times as many', pass(24_000), pass(6_000), 12);
}

console.log('\na refusal of an upstream that repeats one thing without end');
for (const piece of ['a-', 'a.', 'a+', 'a@', '1:', 'a::', 'C:\\a ', 'projects/', '\\\\a']) {
  const clean = (count: number) => () => cleanText(piece.repeat(count));
  compare(piece, clean(128_000), clean(32_000), 12);
}

console.log('\na translated conversation of as many bytes in more turns');
{
  const turns = (pairs: number, result: string) =>
    many(pairs, (index) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: result }] },
    ]).flat();
  const write = (messages: unknown) => () => writeRequest(anthropicMessages, { messages }, 'chat');
  compare('four times as many', write(turns(4_800, 'x')), write(turns(1_200, 'x'.repeat(520))), 12);
}

process.exitCode = anyLong ? 1 : 0;
