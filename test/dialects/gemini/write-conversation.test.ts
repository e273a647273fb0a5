// A conversation as Gemini takes it: what is carried, what is said otherwise, what is refused and by which name.

import { describe, expect, test } from 'bun:test';
import { geminiUpstream } from '../../../src/dialects/gemini/adapter.ts';
import type { Target } from '../../../src/dialects/translate/adapters.ts';
import type { Conversation, Part, SettingKind, ToolCallPart } from '../../../src/dialects/translate/conversation.ts';
import { GOOGLE_ORIGIN } from '../../../src/dialects/translate/opaque.ts';
import { Fault } from '../../../src/faults/fault.ts';
import type { Json } from '../../../src/kit/json/json.ts';
import type { Answer } from '../../support/answer.ts';
import { conversation, FIELDS, ORIGIN, target, text, tool, turn } from './target.ts';

interface Options {
  to?: Partial<Target>;
  maxOutputTokens?: number;
  prefill?: string;
}

function write(rest: Partial<Conversation>, { to = {}, maxOutputTokens = 1_000, prefill }: Options = {}) {
  const written = geminiUpstream.writeConversation(conversation(rest), target(to));
  const raw = written.body({ ...FIELDS, maxOutputTokens }, { stream: false, prefill });
  const body: Answer = JSON.parse(raw);
  return { ...written, raw, body };
}

function refusal(rest: Partial<Conversation>): { param?: string | undefined } {
  try {
    write(rest);
  } catch (error) {
    if (error instanceof Fault) return error.details;
    throw error;
  }
  throw new Error('nothing was refused');
}

const call = (id: string, rest: Partial<ToolCallPart> = {}): ToolCallPart => ({
  ...{ type: 'tool_call', id, name: 'look', arguments: '{"a":1}', isCustom: false, at: 'messages[1]' },
  ...rest,
});
const result = (callId: string, ...content: Part[]): Part => ({
  type: 'tool_result',
  callId,
  content: content.filter((part) => part.type === 'text' || part.type === 'image' || part.type === 'document'),
  isError: false,
  at: 'messages[2]',
});
const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const image = (data = PNG, mediaType = 'image/png'): Part => ({
  ...{ type: 'image', at: 'messages[0].content[1]' },
  source: { kind: 'base64', mediaType, data },
});
const setting = (kind: SettingKind, value: Json, name: string = kind) => ({ kind, name, value });

describe('turns', () => {
  test('roles are user and model, the system is apart', () => {
    const { body } = write({
      system: [
        { type: 'text', text: 'Be brief.', at: 'messages[0]' },
        { type: 'text', text: 'Be kind.', at: 'messages[1]' },
      ],
      turns: [turn('user', text('Hi')), turn('assistant', text('Hello')), turn('user', text('Bye'))],
    });
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] });
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'Hello' }] },
      { role: 'user', parts: [{ text: 'Bye' }] },
    ]);
    expect(body.generationConfig).toEqual({ maxOutputTokens: 1_000 });
    expect(body).not.toHaveProperty('safetySettings');
    expect(body).not.toHaveProperty('model');
  });

  test('a system turn in the middle joins the user’s', () => {
    const { body } = write({
      turns: [turn('user', text('Hi')), turn('system', text('Now brief')), turn('user', text('?'))],
    });
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'Hi' }, { text: 'Now brief' }, { text: '?' }] }]);
  });

  test('the user speaks first', () => {
    const { body } = write({ turns: [turn('assistant', text('Hello')), turn('user', text('Hi'))] });
    expect(body.contents.map(({ role }: Answer) => role)).toEqual(['user', 'model', 'user']);
  });

  test('a begun answer is asked for, unless the model continues it', () => {
    const turns = [turn('user', text('Hi')), turn('assistant', text('Once upon '))];
    const asked = write({ turns });
    expect(asked.body.contents).toHaveLength(1);
    expect(asked.body.contents[0].role).toBe('user');
    expect(asked.body.contents[0].parts[1].text).toContain('Once upon ');
    expect(asked.reworded).toEqual(['prefill']);
    const continued = write({ turns }, { to: { prefill: true } });
    expect(continued.body.contents[1]).toEqual({ role: 'model', parts: [{ text: 'Once upon' }] });
    expect(continued.reworded).toEqual([]);
  });

  test('an answer that broke off is put at the end', () => {
    // What it goes on with may begin with the very space that the client has: it is for the gateway to tell.
    const alone = write({}, { prefill: 'So \n' });
    expect(alone.body.contents.at(-1)).toEqual({ role: 'model', parts: [{ text: 'So' }] });
    const turns = [turn('user', text('Hi')), turn('assistant', text('Once'))];
    const begun = write({ turns }, { to: { prefill: true }, prefill: ' upon' });
    expect(begun.body.contents.at(-1)).toEqual({ role: 'model', parts: [{ text: 'Once' }, { text: ' upon' }] });
  });

  test('a document of text in a result keeps its title', () => {
    const source = { kind: 'text', text: 'Chapter one' } as const;
    const document = { type: 'document', source, title: 'The book', at: 'd' } as const;
    const result: Part = { type: 'tool_result', callId: 'c', content: [document], isError: false, at: 'r' };
    const call: Part = { type: 'tool_call', id: 'c', name: 'read', arguments: '{}', isCustom: false, at: 'c' };
    const { body } = write({ turns: [turn('user', text('Hi')), turn('assistant', call), turn('user', result)] });
    const [{ functionResponse }] = body.contents.at(-1).parts;
    expect(functionResponse.response).toEqual({ output: 'The book\n\nChapter one' });
  });

  test('what only another dialect knows is refused by its place', () => {
    const other: Part = { type: 'other', kind: 'container_upload', at: 'messages[0].content[2]' };
    expect(refusal({ turns: [turn('user', other)] }).param).toBe('messages[0].content[2]');
  });
});

describe('calls and results', () => {
  const TOOLS = [tool('look')];

  test('arguments keep their own text, and results find the name of their function', () => {
    const args = '{"9":1, "1": 12345678901234567890}';
    const { raw, body } = write({
      tools: TOOLS,
      turns: [
        turn('user', text('Hi')),
        turn('assistant', call('c1', { arguments: args })),
        turn('user', result('c1', text('ok'))),
      ],
    });
    expect(raw).toContain(`"functionCall":{"id":"c1","name":"look","args":${args}}`);
    expect(body.contents[2]).toEqual({
      role: 'user',
      parts: [{ functionResponse: { id: 'c1', name: 'look', response: { output: 'ok' } } }],
    });
  });

  test.each([
    ['', {}],
    ['{bad', { _raw: '{bad' }],
    ['[1]', { _value: [1] }],
  ])('arguments %j become an object', (given, args) => {
    const { body } = write({ turns: [turn('user', text('Hi')), turn('assistant', call('c1', { arguments: given }))] });
    expect(body.contents[1].parts[0].functionCall.args).toEqual(args);
  });

  test('results come first and together, an error says that it is one, a missing one too', () => {
    const failed = { ...result('c2', text('no')), isError: true } as Part;
    const { body } = write({
      tools: TOOLS,
      turns: [
        turn('user', text('Hi')),
        turn('assistant', call('c1'), call('c2'), call('c3')),
        turn('user', failed, text('Go on'), result('c1', text('a'), text('b'))),
      ],
    });
    expect(body.contents[2].parts).toEqual([
      { functionResponse: { id: 'c1', name: 'look', response: { output: 'a\nb' } } },
      { functionResponse: { id: 'c2', name: 'look', response: { error: 'no' } } },
      { functionResponse: { id: 'c3', name: 'look', response: { error: '[result missing]' } } },
      { text: 'Go on' },
    ]);
  });

  test('pictures of results come after all results', () => {
    const { body } = write({
      turns: [
        turn('user', text('Hi')),
        turn('assistant', call('c1'), call('c2')),
        turn('user', result('c1', text('see'), image()), result('c2', text('b')), text('?')),
      ],
    });
    expect(body.contents[2].parts).toEqual([
      { functionResponse: { id: 'c1', name: 'look', response: { output: 'see\n[image 1 attached below]' } } },
      { functionResponse: { id: 'c2', name: 'look', response: { output: 'b' } } },
      { inlineData: { mimeType: 'image/png', data: PNG } },
      { text: '?' },
    ]);
  });

  test('a custom tool’s text travels in an object', () => {
    const custom = tool('patch', { isCustom: true });
    const { body } = write({
      tools: [custom],
      turns: [
        turn('user', text('Hi')),
        turn('assistant', call('c1', { name: 'patch', arguments: '*** {', isCustom: true })),
      ],
    });
    expect(body.contents[1].parts[0].functionCall.args).toEqual({ input: '*** {' });
    expect(body.tools[0].functionDeclarations[0].parametersJsonSchema.required).toEqual(['input']);
  });
});

describe('signatures', () => {
  const own = { origin: ORIGIN, value: 'c2ln' };
  const foreign = { origin: 'origin0002', value: 'Zm9v' };
  const SKIP = 'skip_thought_signature_validator';
  const parts = (model: string, ...given: Part[]) =>
    write(
      { turns: [turn('user', text('Hi')), turn('assistant', ...given), turn('user', text('?'))] },
      { to: { model } },
    ).body.contents[1].parts;
  const signatures = (model: string, ...given: Part[]) =>
    parts(model, ...given).map(({ thoughtSignature }: Answer) => thoughtSignature);

  test('go back in their place to the model that made them', () => {
    expect(signatures('gemini-3-pro', call('c1', { opaque: own }), call('c2'))).toEqual(['c2ln', undefined]);
    expect(signatures('gemini-2.5-pro', call('c1', { opaque: own }))).toEqual(['c2ln']);
  });

  test('that a client brought from Google itself go there', () => {
    const brought = { origin: GOOGLE_ORIGIN, value: 'YnJv' };
    expect(signatures('gemini-3-pro', call('c1', { opaque: brought }))).toEqual(['YnJv']);
  });

  test('of another model do not', () => {
    expect(signatures('gemini-2.5-pro', call('c1', { opaque: foreign }))).toEqual([undefined]);
  });

  test('that a model insists on are waived by its own word, at the first call', () => {
    expect(signatures('gemini-3-pro', text('So'), call('c1', { opaque: foreign }), call('c2'))).toEqual([
      undefined,
      SKIP,
      undefined,
    ]);
    expect(signatures('gemini-flash-latest', call('c1'))).toEqual([SKIP]);
  });

  test('of thoughts go with what comes after them; thoughts themselves stay away', () => {
    const thought = (opaque: typeof own): Part => ({ type: 'reasoning', text: 'Hm', opaque, at: 'messages[1]' });
    expect(parts('gemini-3-pro', thought(own), text('Yes'))).toEqual([{ text: 'Yes', thoughtSignature: 'c2ln' }]);
    expect(parts('gemini-3-pro', thought(foreign), text('Yes'))).toEqual([{ text: 'Yes' }]);
    expect(parts('gemini-3-pro', thought(own), call('c1'))[0].thoughtSignature).toBe('c2ln');
  });

  test('a turn of thoughts alone is no turn', () => {
    const lone: Part = { type: 'reasoning', text: 'Hm', opaque: own, at: 'messages[1]' };
    const { body } = write({ turns: [turn('user', text('Hi')), turn('assistant', lone), turn('user', text('?'))] });
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'Hi' }, { text: '?' }] }]);
  });
});

describe('media', () => {
  const parts = (part: Part) => write({ turns: [turn('user', part)] }).body.contents[0].parts;
  const at = 'messages[0].content[1]';

  test('the bytes say what a picture is', () => {
    expect(parts(image(PNG, 'image/jpeg'))).toEqual([{ inlineData: { mimeType: 'image/png', data: PNG } }]);
  });

  test.each([
    ['wav', 'audio/wav'],
    ['mp3', 'audio/mp3'],
  ])('%s passes', (format, mimeType) => {
    expect(parts({ type: 'audio', format, data: 'AAAA', at })).toEqual([{ inlineData: { mimeType, data: 'AAAA' } }]);
  });

  test('a PDF passes, text becomes text', () => {
    const pdf: Part = {
      type: 'document',
      source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0=' },
      at,
    };
    expect(parts(pdf)).toEqual([{ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }]);
    const words: Part = { type: 'document', source: { kind: 'text', text: 'Words' }, title: 'a.txt', at };
    expect(parts(words)).toEqual([{ text: 'a.txt\n\nWords' }]);
  });

  test.each([
    ['an address', { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, at }],
    ['the address of a document', { type: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' }, at }],
    ['a GIF', image('R0lGODlhAQABAAAA', 'image/gif')],
    ['an SVG', image(Buffer.from('<svg xmlns="x"/>').toString('base64'), 'image/png')],
    [
      'a spreadsheet',
      { type: 'document', source: { kind: 'base64', mediaType: 'application/vnd.ms-excel', data: 'AAAA' }, at },
    ],
    ['another sound', { type: 'audio', format: 'flac', data: 'AAAA', at }],
  ] as [string, Part][])('%s is refused by its place', (_, part) => {
    expect(refusal({ turns: [turn('user', text('See'), part)] }).param).toBe(at);
  });
});

describe('tools', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', exclusiveMinimum: 0 } }, required: ['a'] };
  const declared = (rest: Partial<Conversation>) => write(rest).body.tools?.[0].functionDeclarations;

  test('are declared with what the vendor knows of their schema', () => {
    expect(declared({ tools: [tool('look', { description: 'Looks', schema })] })).toEqual([
      {
        name: 'look',
        description: 'Looks',
        parametersJsonSchema: { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] },
      },
    ]);
  });

  test('without parameters have none', () => {
    const tools = [tool('a'), tool('b', { schema: { type: 'object', properties: {} } })];
    expect(declared({ tools })).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  test('with a choice at the top have the names of all and the duties of all', () => {
    const one = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] };
    const other = {
      type: 'object',
      properties: { a: { type: 'string' }, c: { type: 'string' } },
      required: ['a', 'c'],
    };
    const [{ parametersJsonSchema }] = declared({ tools: [tool('look', { schema: { oneOf: [one, other] } })] });
    expect(parametersJsonSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } },
      required: ['a'],
    });
  });

  test('of anything but an object are refused', () => {
    expect(refusal({ tools: [tool('look', { schema: { type: 'string' } })] }).param).toBe('tools[0]');
  });

  test('names that do not fit get others, here and in the history', () => {
    const name = '1st tool';
    const { body, names } = write({
      tools: [tool(name)],
      turns: [turn('user', text('Hi')), turn('assistant', call('c1', { name })), turn('user', result('c1'))],
    });
    const [{ name: sent }] = body.tools[0].functionDeclarations;
    expect(sent).toMatch(/^[a-zA-Z_][\w.-]*$/);
    expect(names.find(sent)?.name).toBe(name);
    expect(body.contents[1].parts[0].functionCall.name).toBe(sent);
    expect(body.contents[2].parts[0].functionResponse.name).toBe(sent);
  });

  test.each([
    [{ mode: 'auto' }, { mode: 'AUTO' }, 2],
    [{ mode: 'none' }, { mode: 'NONE' }, 2],
    [{ mode: 'any' }, { mode: 'ANY' }, 2],
    [{ mode: 'tool', name: 'b' }, { mode: 'ANY', allowedFunctionNames: ['b'] }, 2],
    [{ mode: 'any', allowed: ['b'] }, { mode: 'ANY', allowedFunctionNames: ['b'] }, 2],
    [{ mode: 'auto', allowed: ['b'] }, { mode: 'AUTO' }, 1],
  ] as const)('%j', (toolChoice, config, count) => {
    const { body } = write({ tools: [tool('a'), tool('b')], toolChoice });
    expect(body.toolConfig).toEqual({ functionCallingConfig: config });
    expect(body.tools[0].functionDeclarations).toHaveLength(count);
  });

  test('a choice without tools is none', () => {
    const { body } = write({ toolChoice: { mode: 'auto' } });
    expect(body.tools).toBeUndefined();
    expect(body.toolConfig).toBeUndefined();
  });

  test('one call at a time cannot be asked for', () => {
    const serial = { tools: [tool('a')], parallelTools: false };
    expect(write({ ...serial, parallelToolsName: 'one_at_a_time' }).dropped).toEqual(['one_at_a_time']);
    expect(write(serial).dropped).toEqual([]);
  });
});

describe('settings', () => {
  test('go where the vendor has them', () => {
    const settings = [
      setting('temperature', 0.2),
      setting('top_p', 0.9),
      setting('top_k', 40),
      setting('seed', 7),
      setting('choices', 1, 'n'),
    ];
    const { body, dropped } = write({ settings });
    expect(body.generationConfig).toEqual({ maxOutputTokens: 1_000, temperature: 0.2, topP: 0.9, topK: 40, seed: 7 });
    expect(dropped).toEqual([]);
  });

  test('unsupported ones are reported by the client’s names', () => {
    const settings = [
      ...[setting('logprobs', true), setting('top_logprobs', 3), setting('user', 'me', 'safety_identifier')],
      ...[setting('other', {}, 'logit_bias'), setting('seed', 2 ** 40), setting('presence_penalty', 1)],
    ];
    expect(write({ settings }).dropped).toEqual([
      ...['logprobs', 'top_logprobs', 'safety_identifier'],
      ...['logit_bias', 'seed', 'presence_penalty'],
    ]);
  });

  test('penalties go to models that take them', () => {
    const settings = [setting('presence_penalty', 1), setting('frequency_penalty', 0.5)];
    const { body, dropped } = write({ settings }, { to: { model: 'gemini-2.0-flash' } });
    expect(body.generationConfig).toMatchObject({ presencePenalty: 1, frequencyPenalty: 0.5 });
    expect(dropped).toEqual([]);
  });

  test('of six stops the sixth is ours to match', () => {
    const { body, localStops, dropped } = write({ settings: [setting('stop', ['a', 'b', 'c', 'd', 'e', 'f'])] });
    expect(body.generationConfig.stopSequences).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(localStops).toEqual(['f']);
    expect(dropped).toEqual([]);
    expect(write({ settings: [setting('stop', 'a')] }).body.generationConfig.stopSequences).toEqual(['a']);
  });

  test('several answers are refused', () => {
    expect(refusal({ settings: [setting('choices', 3, 'n')] }).param).toBe('n');
  });
});

describe('thinking', () => {
  const requested = (rest: Partial<NonNullable<Conversation['reasoning']>>) => ({
    ...{ name: 'reasoning_effort', isOff: false, effort: undefined, budget: undefined },
    ...rest,
  });
  const config = (model: string, rest: Parameters<typeof requested>[0], maxOutputTokens = 50_000) =>
    write({ reasoning: requested(rest) }, { to: { model }, maxOutputTokens }).body.generationConfig.thinkingConfig;

  test.each([
    ['gemini-2.5-flash', { effort: 'low' }, { thinkingBudget: 1_024, includeThoughts: true }],
    ['gemini-2.5-flash', { effort: 'max' }, { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-flash', { budget: 5_000 }, { thinkingBudget: 5_000, includeThoughts: true }],
    ['gemini-2.5-flash', { isOff: true }, { thinkingBudget: 0 }],
    ['gemini-2.5-pro', { isOff: true }, { thinkingBudget: 128 }],
    ['gemini-2.5-pro', { budget: 60_000 }, { thinkingBudget: 32_768, includeThoughts: true }],
    ['gemini-2.5-flash-lite', { budget: 100 }, { thinkingBudget: 512, includeThoughts: true }],
    ['gemini-3-pro-preview', { effort: 'medium' }, { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3-pro-preview', { isOff: true }, { thinkingLevel: 'low' }],
    ['gemini-3.1-pro', { effort: 'medium' }, { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3-flash', { effort: 'minimal' }, { thinkingLevel: 'minimal', includeThoughts: true }],
    ['gemini-3.8-flash', { effort: 'minimal' }, { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-3.8-flash', { effort: 'max' }, { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3.8-flash', { budget: 3_000 }, { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-flash-latest', {}, { includeThoughts: true }],
  ])('%s, %j', (model, rest, thinkingConfig) => {
    expect(config(model, rest)).toEqual(thinkingConfig);
  });

  test('leaves tokens for the answer', () => {
    expect(config('gemini-2.5-flash', { effort: 'high' }, 2_000).thinkingBudget).toBe(1_500);
  });

  test('a model that does not think loses the setting, unless it was to be off', () => {
    const to = { model: 'gemini-2.0-flash' };
    expect(write({ reasoning: requested({ effort: 'low' }) }, { to }).dropped).toEqual(['reasoning_effort']);
    expect(write({ reasoning: requested({ isOff: true }) }, { to }).dropped).toEqual([]);
  });

  test('is not set without a request for it', () => {
    expect(write({}).body.generationConfig.thinkingConfig).toBeUndefined();
  });
});

describe('formats', () => {
  const schema = { type: 'object', properties: { a: { const: 'x' } }, additionalProperties: false };
  const format = { kind: 'json_schema', name: 'out', schema, strict: true } as const;
  const written = { type: 'object', properties: { a: { type: 'string', enum: ['x'] } }, additionalProperties: false };

  test('have words of their own', () => {
    expect(write({ format }).body.generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: written,
    });
    const { generationConfig } = write({ format: { kind: 'json_object' } }).body;
    expect(generationConfig.responseMimeType).toBe('application/json');
    expect(generationConfig.responseJsonSchema).toBeUndefined();
  });

  test('go with tools on newer models', () => {
    const { body, formatTool } = write({ format, tools: [tool('look')] }, { to: { model: 'gemini-3-pro' } });
    expect(body.generationConfig.responseJsonSchema).toEqual(written);
    expect(formatTool).toBeUndefined();
  });

  test('are one more tool on older ones, and the model must call one', () => {
    const { body, formatTool } = write({ format, tools: [tool('answer')] });
    expect(formatTool).toBe('answer_');
    expect(body.tools[0].functionDeclarations.map(({ name }: Answer) => name)).toEqual(['answer', 'answer_']);
    expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } });
    expect(body.generationConfig.responseMimeType).toBeUndefined();
  });

  test('of older models leave no tools that may not be called anyway', () => {
    const { body } = write({ format, tools: [tool('look')], toolChoice: { mode: 'none' } });
    expect(body.tools).toBeUndefined();
    expect(body.generationConfig.responseJsonSchema).toEqual(written);
  });

  test('do not prevent a forced call', () => {
    const { body, formatTool } = write({ format, tools: [tool('look')], toolChoice: { mode: 'any' } });
    expect(formatTool).toBeUndefined();
    expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } });
  });

  test('any JSON beside tools is asked for in words', () => {
    const { body, reworded } = write({ format: { kind: 'json_object' }, tools: [tool('look')] });
    expect(body.systemInstruction.parts[0].text).toContain('JSON');
    expect(reworded).toEqual(['response_format']);
  });
});
