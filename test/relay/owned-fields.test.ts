// Fields that are ours reach an upstream only as we write them. Upstreams in Go or .NET match the names of members without
// case, so a variant of a name is as good as the name.

import { describe, expect, test } from 'bun:test';
import { useAllFormats } from '../support/all-formats.ts';
import type { Answer } from '../support/answer.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { rerankAnswer, speechAnswer, verdictAnswer } from '../support/other-answers.ts';
import type { Script } from '../support/script.ts';
import { FLAT_CLIENTS, WIRE_CLIENTS, wireClient } from '../support/wire-clients.ts';

const STRICT = { 'x-svc-strict': '1' };
const PRICE = { input: 10, output: 40, image: 0.01 };

const setting = useAllFormats({ 'paid-': { price: PRICE }, 'free-': { price: 'free' } });

interface Format {
  name: string;
  path: string;
  body: Record<string, unknown>;
  answer: () => Script;
}

const FORMATS: Format[] = [
  ...FLAT_CLIENTS.map(({ name, call, whole }) => ({ name, ...call({}), answer: () => whole() })),
  { name: 'embeddings', path: '/v1/embeddings', body: { input: 'Hi' }, answer: () => vectorAnswer() },
  { name: 'images', path: '/v1/images/generations', body: { prompt: 'A cat' }, answer: () => pictureAnswer() },
  { name: 'speech', path: '/v1/audio/speech', body: { input: 'Hi', voice: 'alloy' }, answer: () => speechAnswer() },
  { name: 'rerank', path: '/v1/rerank', body: { query: 'Hi', documents: ['a'] }, answer: () => rerankAnswer() },
  { name: 'moderation', path: '/v1/moderations', body: { input: 'Hi' }, answer: () => verdictAnswer() },
];

interface Asked {
  status: number;
  dropped: string | null;
  error: Answer;
  sent: Answer;
}

async function ask(format: Format, model: string, fields: object, headers = {}, answer = format.answer()) {
  setting.upstream.otherwise(answer);
  const response = await setting.gateway.call(format.path, {
    key: setting.key,
    body: { model, ...format.body, ...fields },
    headers,
  });
  const text = await response.text();
  const asked: Asked = {
    status: response.status,
    dropped: response.headers.get('x-svc-dropped'),
    error: response.status === 200 ? undefined : JSON.parse(text).error,
    sent: setting.upstream.requests.at(-1)?.json,
  };
  return asked;
}

/** The last two have letters that are no ASCII and become one without case: a long s, the sign for Kelvin. */
const VARIANTS = {
  MODEL: 'big',
  Max_Tokens: 1_000_000,
  maxTokens: 1_000_000,
  N: 128,
  Tools: [{ type: 'web_search' }],
  Service_Tier: 'priority',
  N_Predict: 1_000_000,
  'max-output-tokens': 1_000_000,
  '\u017ftream': true,
  'max_to\u212Aens': 1_000_000,
};
const NAMES = Object.keys(VARIANTS);
/** As a header can hold them. */
const SHOWN = NAMES.map((name) => name.replace(/[^\w-]/g, '?'));

describe.each(FORMATS)('$name', (format) => {
  describe.each(['paid', 'free'])('on a %s model', (price) => {
    const model = `${price}-${format.name}`;

    test('variants of our fields do not reach the upstream, and are named', async () => {
      const { sent: plain } = await ask(format, model, {});
      const { status, dropped, sent } = await ask(format, model, VARIANTS);
      expect(status).toBe(200);
      expect(sent).toEqual(plain);
      expect(dropped?.split(',').toSorted()).toEqual(SHOWN.toSorted());
    });

    test.each(NAMES)('%s is refused where nothing may be lost', async (name) => {
      const fields = { [name]: VARIANTS[name as keyof typeof VARIANTS] };
      const { status, error } = await ask(format, model, fields, STRICT);
      expect(status).toBe(400);
      expect(error.message).toContain(name);
      expect(setting.upstream.requests).toEqual([]);
    });
  });

  test('other fields pass to a paid model, whatever their case; full-width letters are other letters', async () => {
    const others = { Temperature: 1, unknown: { MODEL: 'x' }, '\uff4dodel': 'x' };
    const { dropped, sent } = await ask(format, `paid-${format.name}`, others, STRICT);
    expect(sent).toMatchObject({ Temperature: 1, unknown: { MODEL: 'x' }, '\uff4dodel': 'x' });
    expect(dropped).toBe(null);
  });
});

describe('in a translation', () => {
  const pairs = FLAT_CLIENTS.flatMap(({ name: from }) =>
    WIRE_CLIENTS.flatMap((to) => (to.name === from ? [] : [{ from, to: to.name, answer: to.whole }])),
  );
  test.each(pairs)('$from to $to: they do not reach the upstream either', async ({ from, to, answer }) => {
    const format = FORMATS.find(({ name }) => name === from);
    if (!format) throw new Error(from);
    const { sent: plain } = await ask(format, `paid-${to}`, {}, {}, answer());
    const { dropped, sent } = await ask(format, `paid-${to}`, VARIANTS, {}, answer());
    expect(sent).toEqual(plain);
    expect(dropped?.split(',').toSorted()).toEqual(SHOWN.toSorted());
    const { status } = await ask(format, `paid-${to}`, { MODEL: 'big' }, STRICT, answer());
    expect(status).toBe(400);
  });
});

describe('members of our objects', () => {
  const [chat, messages] = FORMATS as [Format, Format];
  test.each([
    [chat, { thinking: { type: 'enabled', budget_tokens: 100, Budget_Tokens: 90_000 } }, 'thinking.Budget_Tokens'],
    [chat, { reasoning: { max_tokens: 100, MAX_tokens: 90_000 } }, 'reasoning.MAX_tokens'],
    [
      chat,
      { stream: true, stream_options: { include_usage: true, Include_Usage: false } },
      'stream_options.Include_Usage',
    ],
    [messages, { thinking: { type: 'adaptive', BudgetTokens: 90_000 } }, 'thinking.BudgetTokens'],
    [messages, { thinking: { type: 'adaptive', TYPE: 'enabled' } }, 'thinking.TYPE'],
  ] as const)('have no variants: $name %j', async (format, fields, name) => {
    const [outer, inner] = name.split('.') as [string, string];
    const stream = 'stream' in fields;
    const answer = stream ? wireClient('chat').stream() : format.answer();
    const { status, dropped, sent } = await ask(format, `paid-${format.name}`, fields, {}, answer);
    expect(status).toBe(200);
    expect(dropped).toBe(name);
    expect(sent[outer]).not.toHaveProperty(inner);
    expect(Object.keys(sent[outer]).length).toBeGreaterThan(0);
    expect((await ask(format, `paid-${format.name}`, fields, STRICT, answer)).status).toBe(400);
  });
});

/** What one vendor or another bills by, in chat, and that no hold covers. */
const LEVERS = {
  n_predict: 1_000_000,
  num_predict: 1_000_000,
  max_new_tokens: 1_000_000,
  max_output_tokens: 1_000_000,
  n_cmpl: 8,
  options: { num_predict: 1_000_000, num_ctx: 1_000_000 },
  extra_body: { google: { cached_content: 'x' } },
  generation_config: { max_output_tokens: 1_000_000 },
  chat_template: '{% for i in range(99999) %}x{% endfor %}',
  deferred: true,
  background: true,
  prediction: { type: 'content', content: 'x' },
  mm_processor_kwargs: { max_pixels: 1e9 },
  cached_content: 'cachedContents/1',
  keep_alive: -1,
  safety_model: 'x',
  adapter_id: 'x',
  prompt_logprobs: 20,
  data_sources: [{ type: 'azure_search' }],
  enable_enhancement: true,
  force_search_enhancement: true,
  enable_deep_search: true,
  vector_store_ids: ['vs_1'],
  num_retries: 9,
  caching: { type: 'enabled' },
  agent_count: 16,
  priority: -1,
  kv_transfer_params: { do_remote_decode: true },
  bootstrap_host: '10.0.0.1',
  logits_processors: ['module.Class'],
  multi_agent: { enabled: true },
};

describe('what an upstream would bill beyond the hold', () => {
  const [chat] = FORMATS as [Format];
  test.each(['paid-chat', 'free-chat'])('does not reach it: %s', async (model) => {
    const { sent: plain } = await ask(chat, model, {});
    const { status, sent, dropped } = await ask(chat, model, LEVERS);
    expect(status).toBe(200);
    expect(sent).toEqual(plain);
    expect(dropped?.split(',').toSorted()).toEqual(Object.keys(LEVERS).toSorted());
  });

  test.each(Object.entries(LEVERS))('%s is refused where nothing may be lost', async (name, value) => {
    const { status, error } = await ask(chat, 'paid-chat', { [name]: value }, STRICT);
    expect(status).toBe(400);
    expect(error.param).toBe(name);
  });

  test('what asks for nothing passes', async () => {
    const fields = { deferred: false, prediction: null, options: {}, keep_alive: '' };
    const { dropped, sent } = await ask(chat, 'paid-chat', fields, STRICT);
    expect(sent).toMatchObject(fields);
    expect(dropped).toBe(null);
  });

  test('arguments of the template pass if they are plain words and flags of thinking', async () => {
    const plain = { enable_thinking: false, thinking: true, reasoning_effort: 'high' };
    const passed = await ask(chat, 'paid-chat', { chat_template_kwargs: plain }, STRICT);
    expect(passed.sent.chat_template_kwargs).toEqual(plain);
    const added = {
      ...plain,
      chat_template: '{% for i in range(9**9) %}x{% endfor %}',
      tokenize: false,
      thinking: [1],
      thinking_budget: 90_000,
      reasoning_budget: 90_000,
      max_thinking_tokens: 90_000,
    };
    const { dropped, sent } = await ask(chat, 'paid-chat', { chat_template_kwargs: added });
    expect(sent.chat_template_kwargs).toEqual({ enable_thinking: false, reasoning_effort: 'high' });
    expect(dropped?.split(',').toSorted()).toEqual([
      'chat_template_kwargs.chat_template',
      'chat_template_kwargs.max_thinking_tokens',
      'chat_template_kwargs.reasoning_budget',
      'chat_template_kwargs.thinking',
      'chat_template_kwargs.thinking_budget',
      'chat_template_kwargs.tokenize',
    ]);
  });
});

describe('members of settings that an upstream would bill beyond the hold', () => {
  const [chat, , responses] = FORMATS as [Format, Format, Format];
  test.each([
    [responses, { reasoning: { effort: 'low', mode: 'pro' } }, { effort: 'low' }, 'reasoning.mode'],
    [chat, { reasoning: { effort: 'low', mode: 'pro' } }, { effort: 'low' }, 'reasoning.mode'],
    [responses, { reasoning: { effort: 'low', Mode: 'pro' } }, { effort: 'low' }, 'reasoning.Mode'],
    [chat, { reasoning: { effort: 'low', max_tokens: '90000' } }, { effort: 'low' }, 'reasoning.max_tokens'],
    [responses, { reasoning: { effort: 'low', max_tokens: '90000' } }, { effort: 'low' }, 'reasoning.max_tokens'],
    [responses, { reasoning: { effort: 'low', max_tokens: -1 } }, { effort: 'low' }, 'reasoning.max_tokens'],
    [
      responses,
      { reasoning: { effort: 'low', mode: 'pro', MAX_tokens: 90_000 } },
      { effort: 'low' },
      'reasoning.MAX_tokens,reasoning.mode',
    ],
    [
      chat,
      { search_options: { forced_search: false, search_strategy: 'max' } },
      { forced_search: false },
      'search_options.search_strategy',
    ],
    [
      chat,
      { search_options: { forced_search: false, searchStrategy: 'max' } },
      { forced_search: false },
      'search_options.searchStrategy',
    ],
  ] as const)('$name %j', async (format, fields, left, names) => {
    const [outer] = Object.keys(fields) as [string];
    const { status, sent, dropped } = await ask(format, `paid-${format.name}`, fields);
    expect([status, dropped]).toEqual([200, names]);
    expect(sent[outer]).toEqual(left);
    expect((await ask(format, `paid-${format.name}`, fields, STRICT)).status).toBe(400);
  });

  test('reasoning.max_tokens of responses stays below the output bound', async () => {
    const most = { max_output_tokens: 200 };
    const fields = { ...most, reasoning: { max_tokens: 90_000, effort: 'low' } };
    const { sent, dropped } = await ask(responses, 'paid-responses', fields);
    expect(sent.reasoning).toEqual({ max_tokens: 199, effort: 'low' });
    expect(sent.max_output_tokens).toBe(200);
    expect(dropped).toBe('reasoning.max_tokens');
    const kept = await ask(responses, 'paid-responses', { ...most, reasoning: { max_tokens: 100 } }, STRICT);
    expect([kept.status, kept.sent.reasoning]).toEqual([200, { max_tokens: 100 }]);
  });
});

describe('thinking that a vendor counts beside its output bound', () => {
  const [chat] = FORMATS as [Format];
  test.each([
    // The bound is 200: whatever is thought is part of it.
    [{ thinking_budget: 50 }, { thinking_budget: 50, max_tokens: 150 }, null],
    [{ thinking_budget: 90_000 }, { thinking_budget: 100, max_tokens: 100 }, 'thinking_budget'],
    [{ enable_thinking: true }, { enable_thinking: true, thinking_budget: 100, max_tokens: 100 }, null],
    [{ enable_thinking: false }, { enable_thinking: false, max_tokens: 200 }, null],
    [{ thinking_budget: 0 }, { thinking_budget: 0, max_tokens: 200 }, null],
    [
      { reasoning: { max_tokens: 90_000 } },
      { reasoning: { max_tokens: 199 }, max_tokens: 200 },
      'reasoning.max_tokens',
    ],
    [{ reasoning: { max_tokens: 100 } }, { reasoning: { max_tokens: 100 }, max_tokens: 200 }, null],
  ])('%j', async (fields, written, lowered) => {
    const { sent, dropped } = await ask(chat, 'paid-chat', fields);
    const { model, messages, ...rest } = sent;
    expect(rest).toEqual(written);
    expect(dropped).toBe(lowered);
  });

  test.each(['true', 'no', 1, {}])('enable_thinking %j is refused', async (enable_thinking) => {
    const { status, error } = await ask(chat, 'paid-chat', { enable_thinking });
    expect([status, error.param]).toEqual([400, 'enable_thinking']);
  });

  test.each([-1, 0.5, '5', {}])('thinking_budget %j is refused', async (thinking_budget) => {
    const { status, error } = await ask(chat, 'paid-chat', { thinking_budget });
    expect([status, error.param]).toEqual([400, 'thinking_budget']);
  });
});

describe('members that set how many tokens an image is', () => {
  const [chat, , responses] = FORMATS as [Format, Format, Format];
  const url = 'https://example.com/cat.png';
  const sizes = '"min_pixels":1000000, "max_pixels" : 99999999,';
  const user = (part: string) => `[{"role":"user","content":[{"type":"text","text":"caf\\u00e9"},${part}]}]`;
  const search = '{"type":"additional_tools","role":"developer","tools":[{"type":"image_generation"}]}';
  const own = '{"type":"function","name":"look","parameters":{}}';
  const cases = [
    {
      format: chat,
      list: (more: string) => user(`{"type":"image_url",${more}"image_url":{"url":"${url}"}}`),
      named: 'min_pixels,max_pixels',
    },
    {
      format: chat,
      list: (more: string) => user(`{"type":"image_url","image_url":{${more}"url":"${url}"}}`),
      named: 'min_pixels,max_pixels',
    },
    {
      format: chat,
      list: (more: string) =>
        `[{"role":"user","image_url":"x","content":[{"type":"image_url",${more}"image_url":{"url":"${url}"}}]}]`,
      named: 'min_pixels,max_pixels',
    },
    {
      format: responses,
      list: (more: string) => user(`{"type":"input_image",${more}"image_url":"${url}"}`),
      named: 'min_pixels,max_pixels',
    },
    {
      format: responses,
      list: (more: string) =>
        `[{"type":"function_call_output","call_id":"c","output":[{"type":"input_image",${more}"image_url":"${url}"}]}]`,
      named: 'min_pixels,max_pixels',
    },
    {
      // An item goes with its tool, before the image.
      format: responses,
      list: (more: string) => {
        const later = more === '' ? '' : `${search},`;
        return `[${later}${user(`{"type":"input_image",${more}"image_url":"${url}"}`).slice(1)}`;
      },
      fields: { tools: [JSON.parse(own)] },
      named: 'min_pixels,max_pixels,image_generation',
    },
  ];
  const send = async ({ format, list, fields }: (typeof cases)[number], more: string, headers = {}) => {
    setting.upstream.otherwise(format.answer());
    const field = format === chat ? 'messages' : 'input';
    const { [field]: _, ...rest } = format.body;
    const given = JSON.stringify({ model: `paid-${format.name}`, ...rest, ...fields }).slice(1);
    const body = `{"${field}":${list(more)},${given}`;
    const response = await setting.gateway.call(format.path, { key: setting.key, body, headers });
    await response.text();
    const [seen] = setting.upstream.requests.slice(-1);
    return { status: response.status, dropped: response.headers.get('x-svc-dropped'), seen };
  };

  test.each(cases)('do not reach the upstream: $format.name, $list', async (one) => {
    const { status, dropped, seen } = await send(one, sizes);
    expect([status, dropped]).toEqual([200, one.named]);
    expect(seen?.json).toEqual((await send(one, '')).seen?.json);
    expect((await send(one, sizes, STRICT)).status).toBe(400);
  });

  test('variants neither; the rest keeps its bytes', async () => {
    const [first] = cases as [(typeof cases)[number]];
    const { dropped, seen } = await send(first, '"maxPixels":9e9,"detail" : "low",');
    expect(dropped).toBe('maxPixels');
    expect(seen?.body).toContain('"detail" : "low"');
    expect(seen?.body).toContain('caf\\u00e9');
  });

  test('elsewhere such names pass', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi', max_pixels: 5 }] }];
    const { sent, dropped } = await ask(chat, 'paid-chat', { messages }, STRICT);
    expect(sent.messages).toEqual(messages);
    expect(dropped).toBe(null);
  });
});

test('names that every object has are names like others', async () => {
  const [chat] = FORMATS as [Format];
  const odd = '"__proto__":{"MODEL":1},"constructor":1,"toString":2';
  setting.upstream.otherwise(chat.answer());
  for (const [model, reached] of [
    ['paid-chat', true],
    ['free-chat', false],
  ] as const) {
    const body = `{${odd},${JSON.stringify({ model, ...chat.body }).slice(1)}`;
    const response = await setting.gateway.call(chat.path, { key: setting.key, body });
    expect(response.status).toBe(200);
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(setting.upstream.requests.at(-1)?.body.includes(`"${name}"`)).toBe(reached);
    }
    expect(response.headers.get('x-svc-dropped')).toBe(reached ? null : '__proto__,constructor,toString');
  }
});

test('many unknown names do not make an endless refusal', async () => {
  const [chat] = FORMATS as [Format];
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x${index}`, 1]));
  const { status, dropped } = await ask(chat, 'free-chat', many);
  expect(status).toBe(200);
  expect(dropped?.split(',')).toHaveLength(50);
  const refused = await ask(chat, 'free-chat', many, STRICT);
  expect(refused.status).toBe(400);
  expect(refused.error.message.length).toBeLessThan(2_000);
});
