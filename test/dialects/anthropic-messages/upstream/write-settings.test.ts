// How a client wants its answer, in the words of an Anthropic upstream: tools, thinking, format, and every other setting.

import { describe, expect, test } from 'bun:test';
import { anthropicMessagesUpstream } from '../../../../src/dialects/anthropic-messages/upstream/adapter.ts';
import type { Target } from '../../../../src/dialects/translate/adapters.ts';
import type { Conversation, Part, RequestedReasoning, Tool } from '../../../../src/dialects/translate/conversation.ts';
import type { Answer } from '../../../support/answer.ts';
import {
  callPart,
  conversationOf,
  refusedParam,
  resultPart,
  settingOf,
  targetOf,
  toolOf,
  turnOf,
  userTurn,
} from '../../../support/conversation.ts';

const FIELDS = { model: 'm', maxOutputTokens: 4000, thinkingBudget: undefined, limitField: 'max_tokens' } as const;
const MODERN = targetOf('claude-opus-5');
const BUDGET = targetOf('claude-sonnet-4-5');

function write(
  given: Partial<Conversation>,
  target: Target = MODERN,
  fields: Partial<typeof FIELDS> | object = {},
): Answer {
  const written = anthropicMessagesUpstream.writeConversation(conversationOf(given), target);
  const body = JSON.parse(written.body({ ...FIELDS, ...fields }, { stream: false }));
  const { dropped, reworded, formatTool, localStops } = written;
  return { ...body, dropped, reworded, formatTool, localStops };
}

test('the fields we own are ours', () => {
  const written = anthropicMessagesUpstream.writeConversation(conversationOf(), MODERN);
  const body = JSON.parse(written.body({ ...FIELDS, model: 'their-name', maxOutputTokens: 77 }, { stream: true }));
  expect(body).toEqual({
    model: 'their-name',
    max_tokens: 77,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    stream: true,
  });
});

describe('thinking', () => {
  const requested = (given: Partial<RequestedReasoning>): RequestedReasoning => ({
    name: 'reasoning_effort',
    isOff: false,
    effort: undefined,
    budget: undefined,
    ...given,
  });

  test('by effort, in the same word', () => {
    for (const effort of ['low', 'medium', 'high', 'xhigh', 'max']) {
      const body = write({ reasoning: requested({ effort }) });
      expect([body.thinking, body.output_config]).toEqual([{ type: 'adaptive' }, { effort }]);
    }
    expect(write({ reasoning: requested({ budget: 5000 }) }).output_config).toEqual({ effort: 'medium' });
  });

  test('4.6 and the preview of Mythos have no xhigh, and a number never becomes the highest', () => {
    const given = (model: string, more: Partial<RequestedReasoning>) =>
      write({ reasoning: requested(more) }, targetOf(model)).output_config.effort;
    for (const model of ['claude-opus-4-6', 'claude-sonnet-4.6', 'claude-mythos-preview']) {
      for (const effort of ['low', 'medium', 'high', 'max']) expect(given(model, { effort })).toBe(effort);
      expect(given(model, { effort: 'xhigh' })).toBe('high');
      expect(given(model, { budget: 60_000 })).toBe('high');
    }
    expect(given('claude-opus-4-7', { effort: 'xhigh' })).toBe('xhigh');
  });

  test('by budget for models before 4.6, inside the output bound', () => {
    const thinking = (effort: string, fields = {}) =>
      write({ reasoning: requested({ effort }) }, BUDGET, fields).thinking;
    expect(thinking('low')).toEqual({ type: 'enabled', budget_tokens: 1024 });
    expect(thinking('high')).toEqual({ type: 'enabled', budget_tokens: 3000 });
    expect(thinking('high', { maxOutputTokens: 64_000 })).toEqual({ type: 'enabled', budget_tokens: 16_384 });
    expect(thinking('high', { thinkingBudget: 2000 })).toEqual({ type: 'enabled', budget_tokens: 2000 });
    expect(thinking('low', { maxOutputTokens: 1024 })).toEqual({ type: 'disabled' });
    expect(write({ reasoning: requested({ effort: 'low' }) }, BUDGET).output_config).toBeUndefined();
  });

  test('a budget of the client’s own leaves one token of the output bound', () => {
    const thinking = (budget: number) => write({ reasoning: requested({ budget }) }, BUDGET).thinking;
    expect(thinking(3_999)).toEqual({ type: 'enabled', budget_tokens: 3_999 });
    expect(thinking(4_000)).toEqual({ type: 'enabled', budget_tokens: 3_999 });
    expect(thinking(60_000)).toEqual({ type: 'enabled', budget_tokens: 3_999 });
  });

  test('off; where a model cannot stop, as little as it can', () => {
    for (const given of [{ isOff: true }, { effort: 'none' }, { effort: 'minimal' }]) {
      expect(write({ reasoning: requested(given) }).thinking).toEqual({ type: 'disabled' });
      const always = write({ reasoning: requested(given) }, targetOf('claude-fable-5-1'));
      expect([always.thinking, always.output_config]).toEqual([undefined, { effort: 'low' }]);
    }
  });

  test('models without it do not get it, and it is reported as dropped', () => {
    const body = write({ reasoning: requested({ effort: 'high' }) }, targetOf('claude-3-5-haiku-20241022'));
    expect([body.thinking, body.output_config, body.dropped]).toEqual([undefined, undefined, ['reasoning_effort']]);
  });

  test('not with a forced call, and it is reported as dropped', () => {
    for (const toolChoice of [{ mode: 'any' }, { mode: 'tool', name: 'look' }] as const) {
      const body = write({ reasoning: requested({ effort: 'high' }), tools: [toolOf('look')], toolChoice });
      expect([body.thinking, body.dropped]).toEqual([{ type: 'disabled' }, ['reasoning_effort']]);
    }
  });

  test('not with an answer begun', () => {
    const turns = [userTurn('a'), turnOf('assistant', 'b')];
    const body = write({ reasoning: requested({ effort: 'high' }), turns }, BUDGET);
    expect([body.thinking, body.dropped]).toEqual([{ type: 'disabled' }, ['reasoning_effort']]);
  });

  test('by budget only if the thoughts before the last calls are there', () => {
    const own: Part = { type: 'reasoning', text: 'hm', opaque: { origin: BUDGET.origin, value: 's' }, at: 'r' };
    const after = (...thoughts: Part[]) => ({
      reasoning: requested({ effort: 'low' }),
      turns: [userTurn('a'), turnOf('assistant', ...thoughts, callPart('1')), userTurn(resultPart('1'))],
    });
    expect(write(after(), BUDGET).thinking).toEqual({ type: 'disabled' });
    expect(write(after(), BUDGET).dropped).toEqual(['reasoning_effort']);
    expect(write(after(own), BUDGET).thinking.type).toBe('enabled');
    expect(write(after()).thinking.type).toBe('adaptive');
  });
});

describe('tools', () => {
  const choose = (given: Partial<Conversation>) =>
    write({ tools: [toolOf('look'), toolOf('run')], ...given }).tool_choice;

  test('a schema for every tool', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, $schema: 'x' };
    const { tools } = write({
      tools: [toolOf('a', { description: 'd', schema }), toolOf('b'), toolOf('c', { schema: {} })],
    });
    expect(tools).toEqual([
      { name: 'a', description: 'd', input_schema: schema },
      { name: 'b', input_schema: { type: 'object', properties: {} } },
      { name: 'c', input_schema: { type: 'object', properties: {} } },
    ]);
  });

  test('a custom tool takes one text', () => {
    const [tool] = write({ tools: [toolOf('patch', { isCustom: true })] }).tools;
    expect(tool.input_schema).toMatchObject({ type: 'object', properties: { input: { type: 'string' } } });
  });

  test('a schema that is of no object is refused by its place', () => {
    const refused = (schema: Tool['schema']) =>
      refusedParam(() => write({ tools: [toolOf('a', { schema, at: 'tools[3]' })] }));
    expect(refused({ anyOf: [{ type: 'object' }] })).toBe('tools[3]');
    expect(refused({ type: 'object', oneOf: [{ properties: {} }] })).toBe('tools[3]');
    expect(refused({ type: 'string' })).toBe('tools[3]');
  });

  test.each(['anyOf', 'oneOf', 'allOf'])('%s at the top is refused by its name, also beside properties', (choice) => {
    const schema = {
      type: 'object',
      properties: { a: {}, b: {} },
      [choice]: [{ required: ['a'] }, { required: ['b'] }],
    };
    expect(() => write({ tools: [toolOf('look', { schema })] })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ message: expect.stringContaining(choice) }) }),
    );
    const [tool] = write({ tools: [toolOf('look', { schema: { ...schema, [choice]: [] } })] }).tools;
    expect(tool.input_schema).toEqual({ type: 'object', properties: { a: {}, b: {} } });
  });

  test('the choice', () => {
    expect(choose({})).toBeUndefined();
    expect(choose({ toolChoice: { mode: 'auto' } })).toEqual({ type: 'auto' });
    expect(choose({ toolChoice: { mode: 'any' } })).toEqual({ type: 'any' });
    expect(choose({ toolChoice: { mode: 'none' } })).toEqual({ type: 'none' });
    expect(choose({ toolChoice: { mode: 'tool', name: 'run' } })).toEqual({ type: 'tool', name: 'run' });
    expect(choose({ toolChoice: { mode: 'any' }, tools: [] })).toBeUndefined();
  });

  test('of a list of allowed ones, only they are there', () => {
    const body = write({
      tools: [toolOf('look'), toolOf('run')],
      toolChoice: { mode: 'any', allowed: ['run'] },
    });
    expect(body.tools.map(({ name }: Answer) => name)).toEqual(['run']);
    expect(body.tool_choice).toEqual({ type: 'any' });
  });

  test('one call at a time', () => {
    const once = { disable_parallel_tool_use: true };
    expect(choose({ parallelTools: false })).toEqual({ type: 'auto', ...once });
    expect(choose({ parallelTools: false, toolChoice: { mode: 'any' } })).toEqual({ type: 'any', ...once });
    expect(choose({ parallelTools: false, toolChoice: { mode: 'none' } })).toEqual({ type: 'none' });
    expect(choose({ parallelTools: false, tools: [] })).toBeUndefined();
    expect(choose({ parallelTools: true })).toBeUndefined();
  });

  test('strict is removed and reported', () => {
    expect(write({ tools: [toolOf('look', { strict: true })] }).dropped).toEqual(['strict']);
  });
});

describe('format', () => {
  const schema = {
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^a', minLength: 1 },
      list: {
        type: 'array',
        minItems: 2,
        items: { type: 'object', properties: { n: { type: 'integer', maximum: 3 } } },
      },
      one: { oneOf: [{ type: 'null' }, { $ref: '#/$defs/D' }] },
    },
    required: ['pattern'],
    $defs: { D: { type: 'object', properties: {} } },
  };
  const format = { kind: 'json_schema', name: 'n', schema, strict: true } as const;

  test('closed objects, without the keywords that are refused', () => {
    expect(write({ format }).output_config.format).toEqual({
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: {
          pattern: { type: 'string' },
          list: {
            type: 'array',
            items: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false },
          },
          one: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/D' }] },
        },
        required: ['pattern'],
        $defs: { D: { type: 'object', properties: {}, additionalProperties: false } },
        additionalProperties: false,
      },
    });
  });

  const open = (words: object) => ({
    ...format,
    schema: { type: 'object', properties: { map: { type: 'array', items: { type: 'object', ...words } } } },
  });

  test.each([
    { additionalProperties: true },
    { additionalProperties: { type: 'string' } },
    { patternProperties: { '^a': { type: 'string' } } },
  ])('an object that takes %j stays as it is: the answer is a call', (words) => {
    const body = write({ format: open(words) });
    expect(body.output_config).toBeUndefined();
    expect(body.tools[0].input_schema.properties.map.items).toEqual({ type: 'object', ...words });
    expect(body.tool_choice).toEqual({ type: 'tool', name: body.formatTool });
    expect(body.reworded).toEqual([]);
  });

  test('where it cannot be a call, such an object is closed, and that is reported', () => {
    const words = open({ additionalProperties: true });
    const looks: Partial<Conversation> = { tools: [toolOf('look')], toolChoice: { mode: 'any' } };
    const list = { ...format, schema: { type: 'array', items: words.schema } };
    for (const body of [
      write({ format: words, ...looks }),
      write({ format: words }, targetOf('claude-mythos-preview')),
      write({ format: list }),
    ]) {
      expect(JSON.stringify(body.output_config.format)).not.toContain('"additionalProperties":true');
      expect(body.formatTool).toBeUndefined();
      expect(body.reworded).toEqual(['response_format']);
    }
  });

  test('stands beside effort', () => {
    const reasoning = { name: 'r', isOff: false, effort: 'low', budget: undefined };
    expect(Object.keys(write({ format, reasoning }).output_config)).toEqual(['effort', 'format']);
  });

  test('for models without it, the answer is a call', () => {
    const old = targetOf('claude-3-7-sonnet-20250219');
    const alone = write({ format }, old);
    expect(alone.output_config).toBeUndefined();
    expect(alone.tools[0]).toMatchObject({ name: alone.formatTool, input_schema: schema });
    expect(alone.tool_choice).toEqual({ type: 'tool', name: alone.formatTool });

    const beside = write({ format, tools: [toolOf('answer')] }, old);
    expect(beside.formatTool).not.toBe('answer');
    expect(beside.tool_choice).toEqual({ type: 'any' });
    expect(write({ format, tools: [toolOf('look')], toolChoice: { mode: 'any' } }, old).formatTool).toBeUndefined();
  });

  test('any JSON is a hint at the end of the system', () => {
    const body = write({ format: { kind: 'json_object' }, system: [] });
    expect(body.system).toHaveLength(1);
    expect(body.system[0].text).toContain('JSON');
  });
});

describe('other settings', () => {
  const sampling = [settingOf('top_p', 0.9), settingOf('temperature', 1.7), settingOf('top_k', 5)];

  test('sampling: not for new models, never both', () => {
    for (const model of ['claude-opus-4-7', 'claude-opus-5-5', 'claude-mythos-preview', 'claude-opus-4-10']) {
      const body = write({ settings: sampling }, targetOf(model));
      expect([body.temperature, body.top_p, body.top_k]).toEqual([undefined, undefined, undefined]);
      expect(body.dropped.toSorted()).toEqual(['temperature', 'top_k', 'top_p']);
    }
    for (const model of ['claude-opus-4-6', 'claude-sonnet-4-20250514', 'claude-3-5-haiku-latest', 'another']) {
      const body = write({ settings: sampling }, targetOf(model));
      expect([body.temperature, body.top_p, body.top_k, body.dropped]).toEqual([1, undefined, 5, ['top_p']]);
    }
    expect(write({ settings: [settingOf('top_p', 0.9)] }, BUDGET).top_p).toBe(0.9);
  });

  test('sampling stays behind beside thinking', () => {
    const reasoning = { name: 'r', isOff: false, effort: 'low', budget: undefined };
    const settings = [settingOf('temperature', 0.2), settingOf('top_k', 5), settingOf('top_p', 0.5)];
    const body = write({ reasoning, settings }, BUDGET);
    expect([body.temperature, body.top_p, body.top_k]).toEqual([undefined, undefined, undefined]);
    expect(write({ reasoning, settings: [settingOf('temperature', 1)] }, BUDGET).temperature).toBe(1);
  });

  test('stops; those of white space are watched for here', () => {
    const stops = (value: string | string[]) => {
      const body = write({ settings: [settingOf('stop', value)] });
      expect(body.dropped).toEqual([]);
      return [body.stop_sequences, body.localStops];
    };
    expect(stops('END')).toEqual([['END'], []]);
    expect(stops(['\n', 'END'])).toEqual([['END'], ['\n']]);
    expect(stops(['\n'])).toEqual([undefined, ['\n']]);
    expect(stops(Array.from({ length: 50 }, (_, index) => `S${index}`))[1]).toEqual([]);
  });

  test('the client s user travels as a hash', () => {
    const body = write({ settings: [settingOf('user', 'me@x')] });
    expect(body.metadata).toEqual({ user_id: 'hash-of-me@x' });
  });

  test('an unsupported setting is reported by the client’s name', () => {
    const names = ['seed', 'logprobs', 'verbosity', 'service_tier', 'frequency_penalty'] as const;
    const body = write({
      settings: [...names.map((name) => settingOf(name, 1)), settingOf('other', {}, 'logit_bias')],
    });
    expect(body.dropped).toEqual([...names, 'logit_bias']);
  });

  test('one answer only', () => {
    expect(refusedParam(() => write({ settings: [settingOf('choices', 3, 'n')] }))).toBe('n');
  });

  test('the detail of an image is reported as dropped', () => {
    const image = (detail: string): Part => ({
      type: 'image',
      source: { kind: 'url', url: 'https://x' },
      detail,
      at: 'p',
    });
    expect(write({ turns: [userTurn(image('low'))] }).dropped).toEqual(['detail']);
    expect(write({ turns: [userTurn(image('auto'))] }).dropped).toEqual([]);
  });
});
