// One Claude model on four platforms: a conversation with tools moves from one to the next, and its client sees no
// difference. Each platform gets the request in its own form, and without the thoughts whose signatures it refuses.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import {
  type MessageOptions,
  messageAnswer,
  messageError,
  messageEvents,
  messageStream,
} from '../support/anthropic-messages.ts';
import { chunkFrame, exceptionFrame } from '../support/aws-frames.ts';
import { NO_JITTER, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { jsonScript } from '../support/openai-chat.ts';
import type { Part, Script } from '../support/script.ts';
import { parseSse } from '../support/sse.ts';
import { upModel, upstreamUrl } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const BEDROCK_KEY = 'AKIAFAKEFAKEFAKE0001:fakeSecretAccessKey';
const NAMES = {
  anthropic: 'claude-sonnet-5-5',
  bedrock: 'us.anthropic.claude-sonnet-5-5',
  vertex: 'claude-sonnet-5-5@default',
  azure: 'claude-sonnet-5-5',
} as const;
type Platform = keyof typeof NAMES;
const PLATFORMS = Object.keys(NAMES) as Platform[];

let gateway: TestGateway;
let key: string;
/** What each platform does; the others are down. */
let answers: Partial<Record<Platform, Script | ((request: SeenRequest) => Script)>>;

function platformOf({ path }: SeenRequest): Platform | 'token' {
  if (path.startsWith('/token')) return 'token';
  if (path.startsWith('/model/')) return 'bedrock';
  if (path.startsWith('/anthropic/')) return 'azure';
  return path.includes('/publishers/') ? 'vertex' : 'anthropic';
}

beforeAll(async () => {
  gateway = await startTestGateway({
    random: NO_JITTER,
    document: (standard) => {
      const { origin } = new URL(upstreamUrl(standard));
      const account = { client_email: 'me@project.example', private_key: PEM, token_uri: `${origin}/token` };
      // One set for each test: what is remembered of a channel's failures must not decide the next.
      const sets = Array.from({ length: 20 }, (_, index) => index);
      return {
        ...standard,
        channels: [
          ...standard.channels,
          ...sets.flatMap((set) => [
            { name: `anthropic-${set}`, kind: 'anthropic', base_url: origin, api_key: 'fake-anthropic-key' },
            { name: `bedrock-${set}`, kind: 'bedrock', base_url: origin, region: 'us-east-1', api_key: BEDROCK_KEY },
            {
              name: `vertex-${set}`,
              kind: 'vertex',
              base_url: `${origin}/v1/projects/p1/locations/global`,
              api_key: JSON.stringify(account),
            },
            { name: `azure-${set}`, kind: 'azure', base_url: origin, api_key: 'fake-azure-key' },
          ]),
        ],
        models: [
          ...standard.models,
          ...sets.map((set) =>
            upModel(`claude-${set}`, {
              price: { input: 10, output: 40 },
              routes: PLATFORMS.map((platform, index) => ({
                channel: `${platform}-${set}`,
                model: NAMES[platform],
                priority: index + 1,
              })),
            }),
          ),
          ...(['bedrock', 'vertex'] as const).flatMap((platform) =>
            sets.map((set) =>
              upModel(`${platform}-first-${set}`, {
                price: { input: 10, output: 40 },
                routes: [
                  { channel: `${platform}-${set}`, model: NAMES[platform], first_token_ms: 300 },
                  { channel: `anthropic-${set}`, model: NAMES.anthropic, priority: 2 },
                ],
              }),
            ),
          ),
        ],
      };
    },
  });
});
afterAll(() => gateway.stop());

let set = -1;
beforeEach(async () => {
  set++;
  ({ key } = await gateway.register());
  answers = {};
  gateway.upstream.reset();
  gateway.upstream.otherwise((request) => {
    const platform = platformOf(request);
    if (platform === 'token') return jsonScript(200, { access_token: 'fake-access-token', expires_in: 3_600 });
    const answer = answers[platform] ?? messageError(429, { type: 'rate_limit_error', message: 'Wait.' });
    return typeof answer === 'function' ? answer(request) : answer;
  });
});

function bedrockStream(options: MessageOptions): Script {
  return {
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    framing: 'chunked',
    body: messageEvents(options).map(chunkFrame),
  };
}

const TOOLS = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } }];
const QUESTION = { role: 'user', content: 'What is there?' };
const CALL = {
  pieces: ['Let me look.'],
  thinking: ['I should look.'],
  tool: { name: 'look', input: ['{}'] },
  stop: 'tool_use',
};

interface Asked {
  messages: unknown[];
  stream: boolean;
  headers?: Record<string, string>;
}

/** Three channels of a model are tried at most: the first is ignored where the fourth serves. */
const routing = () => (answers.azure ? { provider: { ignore: [`anthropic-${set}`] } } : {});

async function ask({ messages, stream, headers = {} }: Asked) {
  const body = {
    model: `claude-${set}`,
    max_tokens: 400,
    thinking: { type: 'adaptive' },
    tools: TOOLS,
    messages,
    stream,
    ...routing(),
  };
  const response = await gateway.call('/v1/messages', {
    key,
    body,
    headers: { 'anthropic-version': '2023-06-01', ...headers },
  });
  const text = await response.text();
  expect([response.status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
  const content = stream ? joinContent(text) : JSON.parse(text).content;
  const { headers: shown } = response;
  return { channel: shown.get('x-svc-channel'), dropped: shown.get('x-svc-dropped'), content, text };
}

/** The blocks of a stream, as a client puts them together for its next request. */
function joinContent(text: string): Record<string, unknown>[] {
  const blocks: Record<string, string>[] = [];
  for (const { data } of parseSse(text)) {
    const event = JSON.parse(data ?? '{}');
    if (event.type === 'content_block_start') blocks.push({ ...event.content_block });
    const block = blocks.at(-1);
    if (event.type !== 'content_block_delta' || !block) continue;
    const { text = '', thinking = '', signature = '', partial_json: json = '' } = event.delta;
    if (block.type === 'text') block.text += text;
    if (block.type === 'thinking')
      Object.assign(block, { thinking: block.thinking + thinking, signature: block.signature + signature });
    if (block.type === 'tool_use') block.json = (block.json ?? '') + json;
  }
  return blocks.map(({ json, ...block }) => (json === undefined ? block : { ...block, input: JSON.parse(json) }));
}

describe.each([true, false])('streamed: %p', (stream) => {
  const script = (platform: Platform, options: MessageOptions): Script => {
    if (!stream) return messageAnswer(options);
    return platform === 'bedrock' ? bedrockStream(options) : messageStream(options);
  };

  const THOUGHT = { type: 'thinking', thinking: 'I should look.', signature: 'c2ln' };
  const CALLED = [
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
  ];
  const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'A tree.' }] };

  /** One step of the loop on each platform; what `x-svc-dropped` said at each. */
  async function loop(answer: (platform: Platform) => NonNullable<(typeof answers)[Platform]>): Promise<unknown[]> {
    const messages: unknown[] = [QUESTION];
    const lost: unknown[] = [];
    for (const platform of PLATFORMS) {
      answers = { [platform]: answer(platform) };
      const { channel, dropped, content } = await ask({ messages, stream });
      expect([channel, content]).toEqual([`${platform}-${set}`, [THOUGHT, ...CALLED]]);
      lost.push(dropped);
      messages.push({ role: 'assistant', content }, RESULT);
    }
    expect(gateway.audit()).toEqual([]);
    return lost;
  }

  test('a tool loop goes on from one platform to the next with the signatures of its thoughts', async () => {
    expect(await loop((platform) => script(platform, CALL))).toEqual([null, null, null, null]);
    const turn = { role: 'assistant', content: [THOUGHT, ...CALLED] };
    expect(gateway.upstream.requests.at(-1)?.json.messages).toEqual([
      QUESTION,
      turn,
      RESULT,
      turn,
      RESULT,
      turn,
      RESULT,
    ]);
  });

  test('it goes on without the thoughts where a platform takes no signature of another', async () => {
    const lost = await loop((platform) => ({ body }) => {
      if (!body.includes('c2ln')) return script(platform, CALL);
      const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
      return platform === 'bedrock'
        ? jsonScript(400, { message }, { 'x-amzn-errortype': 'ValidationException' })
        : messageError(400, { type: 'invalid_request_error', message });
    });
    expect(lost).toEqual([null, 'messages.thinking', 'messages.thinking', 'messages.thinking']);
    const turn = { role: 'assistant', content: CALLED };
    expect(gateway.upstream.requests.at(-1)?.json.messages).toEqual([
      QUESTION,
      turn,
      RESULT,
      turn,
      RESULT,
      turn,
      RESULT,
    ]);
  });

  test('each platform gets the request in its own form', async () => {
    const seen = async (platform: Platform) => {
      answers = { [platform]: script(platform, {}) };
      const before = gateway.upstream.requests.length;
      await ask({
        messages: [QUESTION],
        stream,
        headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14,unknown-2099-01-01' },
      });
      const request = gateway.upstream.requests.slice(before).find((one) => platformOf(one) === platform);
      if (!request) throw new Error('it was not asked');
      return request;
    };
    const bedrock = await seen('bedrock');
    const method = stream ? 'invoke-with-response-stream' : 'invoke';
    expect(bedrock.path).toBe(`/model/${encodeURIComponent(NAMES.bedrock)}/${method}`);
    expect(bedrock.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAFAKEFAKEFAKE0001\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=/,
    );
    expect(bedrock.json).toMatchObject({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['interleaved-thinking-2025-05-14'],
      max_tokens: 400,
      messages: [QUESTION],
    });
    expect(Object.keys(bedrock.json)).not.toContain('model');
    expect(Object.keys(bedrock.json)).not.toContain('stream');

    const vertex = await seen('vertex');
    const verb = stream ? 'streamRawPredict' : 'rawPredict';
    const place = '/v1/projects/p1/locations/global/publishers/anthropic/models';
    expect(vertex.path).toBe(`${place}/${encodeURIComponent(NAMES.vertex)}:${verb}`);
    expect(vertex.headers.authorization).toBe('Bearer fake-access-token');
    expect(vertex.json).toMatchObject({ anthropic_version: 'vertex-2023-10-16', max_tokens: 400 });
    expect(Object.keys(vertex.json)).not.toContain('model');
    expect(vertex.json.stream).toBe(stream);

    const azure = await seen('azure');
    expect([azure.path, azure.headers['x-api-key']]).toEqual(['/anthropic/v1/messages', 'fake-azure-key']);
    expect(azure.json).toMatchObject({ model: NAMES.azure, max_tokens: 400, messages: [QUESTION] });
  });

  test('clients of the chat format get the same model, with the thoughts of the loop', async () => {
    const messages: unknown[] = [QUESTION];
    const tools = [{ type: 'function', function: { name: 'look', parameters: TOOLS[0]?.input_schema } }];
    for (const platform of PLATFORMS) {
      answers = { [platform]: messageAnswer(CALL) };
      const body = { model: `claude-${set}`, messages, tools, reasoning_effort: 'low', stream: false, ...routing() };
      const response = await gateway.chat(key, body);
      const { choices } = (await response.json()) as { choices: { message: Record<string, unknown> }[] };
      expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, `${platform}-${set}`]);
      const message = choices[0]?.message;
      messages.push(message, { role: 'tool', tool_call_id: 'toolu_1', content: 'A tree.' });
    }
    const last = gateway.upstream.requests.at(-1);
    expect(last?.json.messages[1].content[0]).toMatchObject({ type: 'thinking', signature: 'c2ln' });
    expect(last?.json.model).toBe(NAMES.azure);
  });
});

test('a stream of Bedrock that is throttled before its first word goes to the next platform', async () => {
  answers = {
    bedrock: { ...bedrockStream({}), body: [exceptionFrame('throttlingException', 'Too many tokens, wait.')] },
    vertex: messageStream({}),
  };
  const { channel, text } = await ask({ messages: [QUESTION], stream: true });
  expect(channel).toBe(`vertex-${set}`);
  expect(text).not.toContain('Too many tokens');
});

test.each([
  [403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'],
  [403, 'AccessDeniedException', 'You do not have access to the model with the specified model ID.'],
  [429, 'ThrottlingException', 'Too many requests.'],
  [503, 'ServiceUnavailableException', 'Unavailable.'],
  [424, 'ModelErrorException', 'The model failed.'],
])('a refusal of Bedrock with %d (%s) goes to the next platform', async (status, name, message) => {
  answers = {
    bedrock: jsonScript(status, { message }, { 'x-amzn-errortype': `${name}:http://internal.example/coral` }),
    vertex: messageAnswer({}),
  };
  const { channel } = await ask({ messages: [QUESTION], stream: false });
  expect(channel).toBe(`vertex-${set}`);
});

test('without a token of Google nothing is sent to Vertex, and the channel counts as refused', async () => {
  gateway.upstream.otherwise((request) => {
    if (platformOf(request) === 'token')
      return jsonScript(400, { error: 'invalid_grant', error_description: 'Invalid grant: account not found' });
    return messageError(429, { type: 'rate_limit_error', message: 'Wait.' });
  });
  const response = await gateway.call('/v1/messages', {
    key,
    body: { model: `claude-${set}`, max_tokens: 400, messages: [QUESTION] },
  });
  expect(response.status).toBeGreaterThanOrEqual(500);
  expect(await response.text()).not.toContain('account not found');
  expect(gateway.upstream.requests.map(platformOf)).not.toContain('vertex');
  expect(gateway.audit()).toEqual([]);
});

describe('a platform that does not end what it says', () => {
  const MIB = 1024 * 1024;
  let taken: number;
  let release: () => void;
  /** Each part is made when the one before was sent. */
  function* endless(): Generator<Part> {
    for (taken = 0; taken < 256; taken++) yield 'x'.repeat(MIB);
  }
  const silent = (status: number): Script => ({
    status,
    headers: { 'content-type': 'application/json' },
    framing: 'chunked',
    body: ['{', new Promise<void>((resolve) => (release = resolve))],
  });
  const flood = (status: number): Script => ({ ...silent(status), body: ['"'], rest: endless() });

  beforeEach(() => {
    taken = 0;
    release = () => {};
  });

  async function askFirst(platform: 'bedrock' | 'vertex', script: Script) {
    gateway.upstream.otherwise((request) => (platformOf(request) === 'anthropic' ? messageStream({}) : script));
    const startedAt = performance.now();
    const response = await gateway.call('/v1/messages', {
      key,
      body: { model: `${platform}-first-${set}`, max_tokens: 400, messages: [QUESTION], stream: true },
    });
    const ms = performance.now() - startedAt;
    release();
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, `anthropic-${set}`]);
    await response.text();
    expect(gateway.audit()).toEqual([]);
    return ms;
  }

  // The request for a token may take 10 s: a call does not wait as long as that.
  test.each([
    ['vertex', 200],
    ['bedrock', 503],
  ] as const)(
    '%s is silent after its head: the next one is asked in time',
    async (platform, status) => {
      expect(await askFirst(platform, silent(status))).toBeLessThan(8_000);
    },
    30_000,
  );

  test('the address for tokens sends without end: little of it is read', async () => {
    await askFirst('vertex', flood(200));
    expect(taken).toBeLessThan(32);
  }, 30_000);
});
