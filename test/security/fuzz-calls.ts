// Random calls that are nearly right: paths, headers and bodies of the real routes, changed at random places.

import fc from 'fast-check';
import { asksModel, LISTED_ROUTES, type ListedRoute, pathOf } from './route-list.ts';

export interface FuzzCall {
  method: string;
  path: string;
  /** Whose key: its place in the list of keys, or none. */
  key: number;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
}

/** What the upstream does is in the model's name. */
export const BEHAVIOURS = [
  'ok',
  'ok',
  'ok',
  'ok',
  'fails',
  'limits',
  'refuses',
  'locks',
  'garbage',
  'cut',
  'greedy',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

export const CHAT_KINDS = ['chat', 'message'] as const;
export const modelId = (kind: string, behaviour: string) => `${kind}-${behaviour}`;

const NASTY = [
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '\r\n',
  '',
  ' ',
  '💥',
  'ﷺ',
  '-1',
  '1e999',
  'NaN',
  'data:image/png;base64,AAAA',
  'data:,',
  'http://127.0.0.1:1/x.png',
  'auto:free',
  'system',
  'tool',
];
const nasty = fc.constantFrom(...NASTY);
const text = fc.oneof(nasty, fc.string({ maxLength: 30, unit: 'binary' }));
const numbers = fc.oneof(
  fc.constantFrom(0, -1, 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e308, 0.1, -0),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { json } = fc.letrec<{ json: unknown; list: unknown[]; object: Record<string, unknown> }>((tie) => ({
  json: fc.oneof({ maxDepth: 3 }, text, numbers, fc.boolean(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('json'), { maxLength: 4 }),
  object: fc.dictionary(
    fc.oneof(nasty, fc.constantFrom('type', 'text', 'role', 'content', 'id', 'name')),
    tie('json'),
    {
      maxKeys: 4,
    },
  ),
}));

const GEMINI = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { result: 'done' } } }] },
  ],
  tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }] }],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  generationConfig: { candidateCount: 2, maxOutputTokens: 20, responseMimeType: 'application/json' },
};

const EMBEDDED = { content: { role: 'user', parts: [{ text: 'Hi' }, { text: 'there' }] }, taskType: 'CLUSTERING' };

/** Bodies of real clients, richer than the plainest call. */
const RICH: Record<string, Record<string, unknown>> = {
  '/v1/chat/completions': {
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    tool_choice: 'auto',
    response_format: { type: 'json_object' },
    stream_options: { include_usage: true },
    n: 2,
    max_tokens: 20,
    provider: { order: ['demo'], sort: 'latency', allow_fallbacks: true },
  },
  '/v1/messages': {
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: 'y' },
          { type: 'tool_use', id: 't1', name: 'f', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
    ],
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    max_tokens: 2_000,
  },
  '/v1/responses': {
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
    ],
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    reasoning: { effort: 'low' },
    text: { format: { type: 'text' } },
    max_output_tokens: 20,
  },
  '/v1/embeddings': { input: ['Hi', 'there'], encoding_format: 'base64', dimensions: 8 },
  '/v1/images/generations': { prompt: 'a cat', n: 2, size: '256x256', response_format: 'b64_json' },
  '/v1/images/edits': { prompt: 'a cat', n: 2, images: [{ image_url: 'data:image/png;base64,AAAA' }] },
  '/v1/audio/speech': { input: 'Hi', voice: { id: 'v' }, response_format: 'wav', speed: 2, stream_format: 'sse' },
  '/v1/rerank': {
    query: 'Hi',
    documents: ['a', { text: 'b' }],
    top_n: 2,
    return_documents: true,
    max_tokens_per_doc: 9,
    rank_fields: ['text'],
  },
  '/v1/moderations': {
    input: [
      { type: 'text', text: 'Hi' },
      { type: 'image_url', image_url: { url: 'https://x.test' } },
    ],
  },
  '/v1beta/models/:model:generateContent': GEMINI,
  '/v1beta/models/:model:streamGenerateContent': GEMINI,
  '/v1beta/models/:model:countTokens': { generateContentRequest: GEMINI },
  '/v1beta/models/:model:embedContent': { ...EMBEDDED, outputDimensionality: 8, embedContentConfig: { title: 'x' } },
  '/v1beta/models/:model:batchEmbedContents': { requests: [EMBEDDED, EMBEDDED] },
};

/** The kinds of models that a path is called with. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  '/v1/embeddings': ['vector'],
  '/v1/images/generations': ['paint'],
  '/v1/images/edits': ['paint'],
  '/v1/audio/speech': ['speech'],
  '/v1/rerank': ['rerank'],
  '/v2/rerank': ['rerank'],
  '/v1/moderations': ['moderation'],
  '/v1beta/models/:model:embedContent': ['vector'],
  '/v1beta/models/:model:batchEmbedContents': ['vector'],
};

type Place = (string | number)[];

function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...at, name]))];
}

function changeAt(value: unknown, place: Place, change: (old: unknown) => unknown): unknown {
  const [first, ...rest] = place;
  if (first === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((one, index) => (String(index) === first ? changeAt(one, rest, change) : one));
  const own = value as Record<string, unknown>;
  return { ...own, [first]: changeAt(own[String(first)], rest, change) };
}

/** Up to two places changed: replaced, removed, or wrapped in a list. */
function mutated(body: unknown): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.nat(), fc.constantFrom('replace', 'replace', 'remove', 'wrap', 'repeat'), json);
  return fc.array(change, { maxLength: 2 }).map((changes) =>
    changes.reduce<unknown>((current, [pick, how, value]) => {
      const places = placesOf(current);
      const place = places[pick % places.length] ?? [];
      return changeAt(current, place, (old) => {
        if (how === 'remove') return undefined;
        if (how === 'wrap') return [old];
        return how === 'repeat' ? [old, old, old] : value;
      });
    }, body),
  );
}

function modelsFor({ path }: ListedRoute): fc.Arbitrary<string> {
  const kinds = KINDS[path] ?? [...CHAT_KINDS];
  return fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...BEHAVIOURS)).map((parts) => modelId(...parts));
}

function bodyOf(route: ListedRoute): fc.Arbitrary<FuzzCall['body']> {
  if (route.method === 'GET') return fc.constant(undefined);
  const plain = fc.tuple(modelsFor(route), fc.boolean(), fc.boolean()).map(([id, stream, isRich]) => ({
    ...route.body,
    ...(isRich ? RICH[route.path] : {}),
    ...(route.body?.model ? { model: id } : {}),
    ...(route.body?.model && stream ? { stream } : {}),
  }));
  const valid = plain.chain(mutated).map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 10, arbitrary: valid },
    { weight: 2, arbitrary: fc.tuple(valid, fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(valid, fc.nat(), text)
        .map(
          ([whole, at, bad]) => whole.slice(0, at % (whole.length + 1)) + bad + whole.slice(at % (whole.length + 1)),
        ),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    { weight: 1, arbitrary: json.map((value) => JSON.stringify(value)) },
  );
}

const FUZZED_HEADERS = [
  'idempotency-key',
  'anthropic-version',
  'anthropic-beta',
  'x-session-id',
  'x-svc-strict',
  'x-svc-no-wait',
  'x-svc-loop',
  'x-forwarded-for',
  'content-type',
  'content-encoding',
  'accept',
  'if-none-match',
  'origin',
  'cookie',
  'range',
  'x-api-key',
  'prefer',
  '__proto__',
  'constructor',
];
const headerText = fc.oneof(
  fc.constantFrom('1', '2023-06-01', '*', 'text/plain', 'null', 'bytes=0-1', 'gzip', 'a'.repeat(2_000)),
  text.map((value) =>
    Buffer.from(value.replace(/\p{Cc}/gu, ''))
      .toString('latin1')
      .trim(),
  ),
);
const headers = fc.dictionary(fc.constantFrom(...FUZZED_HEADERS), headerText, { maxKeys: 3 });

function pathsOf(route: ListedRoute, ids: readonly string[]): fc.Arbitrary<string> {
  const id = fc.oneof(
    fc.constantFrom(...ids),
    text.map((value) => encodeURIComponent(value.toWellFormed())),
  );
  const model = fc.oneof({ weight: 9, arbitrary: modelsFor(route) }, { weight: 1, arbitrary: id });
  const straight = fc.tuple(id, model).map(([one, named]) => pathOf(route, one || 'x', named || 'x'));
  const bent = fc
    .tuple(straight, fc.nat(), fc.constantFrom('/', '//', '%2f', '%2e', ';', '%00', 'X', '..', '/v1', '%', '\\', '~'))
    .map(
      ([path, at, piece]) => `${path.slice(0, 1 + (at % path.length))}${piece}${path.slice(1 + (at % path.length))}`,
    );
  const names = [...(route.query ?? []), 'beta', 'x'];
  const query = fc
    .array(fc.tuple(fc.constantFrom(...names), fc.oneof(text, numbers.map(String))), { maxLength: 3 })
    .map((pairs) =>
      pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`).join('&'),
    );
  return fc
    .tuple(fc.oneof({ weight: 8, arbitrary: straight }, { weight: 2, arbitrary: bent }), query)
    .map(([path, asked]) => (asked === '' ? path : `${path}?${asked}`));
}

/** Calls to models have the most to get wrong. */
const WEIGHTY = [1, 2, 3].flatMap(() => LISTED_ROUTES.filter(asksModel));
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function fuzzCalls(keys: number, ids: readonly string[]): fc.Arbitrary<FuzzCall> {
  return fc.constantFrom(...LISTED_ROUTES, ...WEIGHTY).chain((route) =>
    fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(route.method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      path: pathsOf(route, ids),
      key: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(keys) }),
      headers,
      body: bodyOf(route),
    }),
  );
}
