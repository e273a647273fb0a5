// Faults of platforms that host models: Bedrock with its frames and signatures, Vertex AI with its tokens, Azure with its key. A
// second channel takes over, before the first word or in the middle of a stream, and the client pays one answer.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { messageAnswer, messageEvents, messageStream } from '../support/anthropic-messages.ts';
import { assembleChat } from '../support/assemble.ts';
import { chunkFrame, exceptionFrame } from '../support/aws-frames.ts';
import { eventually } from '../support/eventually.ts';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { geminiAnswer, geminiStream } from '../support/gemini.ts';
import { chatAnswer, chatStream, jsonScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { openaiChannel, upstreamUrl } from '../support/test-document.ts';
import { type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const PIECES = ['One', ' two', ' three.'];
const SAID = { pieces: PIECES };
/** At NT$10 and NT$40 for a million: 11 and 7 tokens. */
const COST_NANO = '390000';
const EVENT_STREAM = { 'content-type': 'application/vnd.amazon.eventstream' };
const BEDROCK_KEY = 'AKIAFAKEFAKEFAKE0001:fakeSecretAccessKey';

interface Platform {
  kind: string;
  model: string;
  path: RegExp;
  channel(origin: string): Record<string, unknown>;
  isSigned(headers: Headers): boolean;
  whole(): Script;
  stream(): Script;
  /** What it sends in the middle of a stream if the model fails. */
  failure: string | Buffer;
}

const BEDROCK: Platform = {
  kind: 'bedrock',
  model: 'us.anthropic.claude-sonnet-5-5',
  path: /^\/model\/.+\/invoke(-with-response-stream)?$/,
  channel: (origin) => ({ base_url: origin, region: 'us-east-1', api_key: BEDROCK_KEY }),
  isSigned: (headers) =>
    /^AWS4-HMAC-SHA256 Credential=AKIAFAKEFAKEFAKE0001\/\d{8}\/us-east-1\/bedrock\/aws4_request, ?SignedHeaders=[\w;-]*host[\w;-]*, ?Signature=[0-9a-f]{64}$/.test(
      headers.get('authorization') ?? '',
    ),
  whole: () => messageAnswer(SAID),
  stream: () => ({ headers: EVENT_STREAM, framing: 'chunked', body: messageEvents(SAID).map(chunkFrame) }),
  failure: exceptionFrame('modelStreamErrorException', 'The model failed.'),
};

const hasToken = (headers: Headers) => /^Bearer fake-access-token-\d+$/.test(headers.get('authorization') ?? '');

const vertexOf = (model: string, own: Pick<Platform, 'whole' | 'stream' | 'path' | 'failure'>): Platform => ({
  kind: 'vertex',
  model,
  channel: (origin) => ({
    base_url: `${origin}/v1/projects/p1/locations/global`,
    api_key: JSON.stringify({ client_email: 'me@project.example', private_key: PEM, token_uri: `${origin}/token` }),
  }),
  isSigned: hasToken,
  ...own,
});

const ENTRA = { tenant_id: 't1', client_id: 'c1', client_secret: 'fake-client-secret' };
/** Of a platform that serves the OpenAI format. */
const CHAT: Pick<Platform, 'whole' | 'stream' | 'failure'> = {
  whole: () => chatAnswer(SAID),
  stream: () => chatStream(SAID),
  failure: 'data: {"error":{"code":"server_error","message":"The server had an error."}}\n\n',
};

/** Of a platform that serves Claude as its vendor does. */
const MESSAGES: Pick<Platform, 'whole' | 'stream' | 'failure'> = {
  whole: () => messageAnswer(SAID),
  stream: () => messageStream(SAID),
  failure: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
};

const PLATFORMS: Record<string, Platform> = {
  bedrock: BEDROCK,
  'bedrock-chat': { ...BEDROCK, model: 'openai.gpt-oss-120b-1:0', path: /^\/openai\/v1\/chat\/completions$/, ...CHAT },
  'vertex-claude': vertexOf('claude-sonnet-5-5@default', {
    path: /\/publishers\/anthropic\/models\/claude-sonnet-5-5%40default:(rawPredict|streamRawPredict)$/,
    ...MESSAGES,
  }),
  'vertex-chat': vertexOf('deepseek-ai/deepseek-v3.2-maas', {
    path: /^\/v1\/projects\/p1\/locations\/global\/endpoints\/openapi\/chat\/completions$/,
    ...CHAT,
  }),
  'vertex-gemini': vertexOf('gemini-3-pro', {
    path: /\/publishers\/google\/models\/gemini-3-pro:(generateContent|streamGenerateContent\?alt=sse)$/,
    whole: () => geminiAnswer(SAID),
    stream: () => geminiStream(SAID),
    failure: 'data: {"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}\n\n',
  }),
  azure: {
    kind: 'azure',
    model: 'gpt-4o',
    path: /^\/openai\/v1\/chat\/completions$/,
    channel: (origin) => ({ base_url: origin, api_key: 'fake-azure-key' }),
    isSigned: (headers) => headers.get('api-key') === 'fake-azure-key',
    ...CHAT,
  },
  'azure-claude': {
    kind: 'azure',
    model: 'claude-sonnet-5-5',
    path: /^\/anthropic\/v1\/messages$/,
    channel: (origin) => ({ base_url: origin, api_key: 'fake-azure-key' }),
    isSigned: (headers) => headers.get('x-api-key') === 'fake-azure-key',
    ...MESSAGES,
  },
  'azure-entra': {
    kind: 'azure',
    model: 'gpt-4o',
    path: /^\/openai\/v1\/chat\/completions$/,
    channel: (origin) => ({
      base_url: origin,
      api_key: JSON.stringify({ ...ENTRA, token_uri: `${origin}/token` }),
    }),
    isSigned: hasToken,
    ...CHAT,
  },
};
/** Those whose credentials are tokens that can be renewed. */
const WITH_TOKENS = ['vertex-claude', 'vertex-chat', 'vertex-gemini', 'azure-entra'];
const NAMES = Object.keys(PLATFORMS);

interface Fault {
  name: string;
  isStream: boolean;
  play(platform: Platform): Script;
  /** `begun`: what the first one sent stays. `any`: only if the client got it before, which depends on how the bytes arrive. */
  left?: 'begun' | 'any';
}

const status =
  (code: number, message: string): Fault['play'] =>
  () =>
    jsonScript(code, { error: { code, message, type: 'x', status: 'X' }, message });
const begun = (script: Script) => (script.body ?? []).slice(0, firstWordEnd(script));
/** Parts up to the first word. Frames of AWS have it in base64. */
function firstWordEnd({ body = [] }: Script): number {
  const words = ['One', Buffer.from('"One"').toString('base64').slice(0, 4)];
  const at = body.findIndex((part) => {
    const text = Buffer.from(part as string).toString('latin1');
    const [, inner = ''] = /"bytes":"([^"]+)"/.exec(text) ?? [];
    return words.some((word) => text.includes(word)) || Buffer.from(inner, 'base64').toString().includes('One');
  });
  return at + 1;
}

/** Its head comes, and never a byte of its body. */
const SILENCE = new Promise<void>(() => {});

const FAULTS: Fault[] = [
  ...[false, true].flatMap((isStream): Fault[] => [
    { name: 'answers 429', isStream, play: status(429, 'Too many requests.') },
    { name: 'answers 503', isStream, play: status(503, 'Unavailable.') },
    { name: 'answers 401', isStream, play: status(401, 'The token has expired.') },
    { name: 'resets the connection', isStream, play: () => ({ cut: { after: 'head', by: 'rst' } }) },
    { name: 'sends nothing', isStream, play: () => ({ body: [SILENCE], framing: 'chunked' }) },
  ]),
  { name: 'answers no JSON', isStream: false, play: (one) => ({ ...one.whole(), body: ['{"broken'] }) },
  { name: 'fails before its first word', isStream: true, play: (one) => ({ ...one.stream(), body: [one.failure] }) },
  {
    ...{ name: 'fails in the middle', isStream: true, left: 'begun' },
    play: (one) => ({ ...one.stream(), body: [...begun(one.stream()), one.failure] }),
  },
  {
    ...{ name: 'sends a malformed frame in the middle', isStream: true, left: 'any' },
    play: (one) => ({ ...one.stream(), body: [...begun(one.stream()), 'data: {"broken\n\n'] }),
  },
  {
    ...{ name: 'ends in the middle', isStream: true, left: 'any' },
    play: (one) => ({ ...one.stream(), framing: 'close', body: begun(one.stream()) }),
  },
];

let gateway: TestGateway;
let second: ScriptedUpstream;
let account: TestAccount;
let tokens = 0;
/** Each test has channels of its own: what is remembered of a failure must not decide the next. */
const idOf = (platform: string, index: number) => `${platform}-${index}`;

beforeAll(async () => {
  second = await startUpstream();
  const sets = NAMES.flatMap((name) =>
    [...FAULTS, 'served', 'filtered', 'renewed'].map((_, index) => ({ name, index })),
  );
  gateway = await startTestGateway({
    random: NO_JITTER,
    limits: { paid_per_minute: 10_000 },
    document: (standard) => {
      const { origin } = new URL(upstreamUrl(standard));
      return {
        ...standard,
        channels: [
          ...standard.channels,
          ...sets.flatMap(({ name, index }) => {
            const { kind, channel } = PLATFORMS[name] as Platform;
            return { name: idOf(name, index), kind, ...channel(origin) };
          }),
          openaiChannel('second', second.baseUrl, { endpoints: ['chat'] }),
        ],
        models: [
          ...standard.models,
          ...sets.map(({ name, index }) => ({
            id: idOf(name, index),
            max_output_tokens: 1_000,
            price: { input: 10, output: 40 },
            // So that no test waits for the usual time of an answer.
            ...(FAULTS[index]?.name === 'sends nothing' ? { hedge: 100 } : {}),
            routes: [
              { channel: idOf(name, index), model: PLATFORMS[name]?.model, priority: 1 },
              { channel: 'second', model: idOf(name, index), priority: 2 },
            ],
          })),
        ],
      };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  second.reset();
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  await second.close();
});

const isToken = ({ path }: SeenRequest) => path.startsWith('/token');

async function ask(name: string, index: number, isStream: boolean, script: Script) {
  gateway.upstream.otherwise((request) =>
    isToken(request) ? jsonScript(200, { access_token: `fake-access-token-${tokens++}`, expires_in: 3_600 }) : script,
  );
  second.otherwise(isStream ? chatStream(SAID) : chatAnswer(SAID));
  const response = await gateway.chat(account.key, {
    ...{ model: idOf(name, index), stream: isStream },
    ...(isStream ? { stream_options: { include_usage: true } } : {}),
  });
  const text = await response.text();
  for (const { path, headers } of gateway.upstream.requests.filter((one) => !isToken(one))) {
    const { path: expected, isSigned } = PLATFORMS[name] as Platform;
    expect(path).toMatch(expected);
    expect(isSigned(new Headers(headers as HeadersInit)), JSON.stringify(headers)).toBe(true);
  }
  return { response, text };
}

async function expectServed(isStream: boolean, { response, text }: { response: Response; text: string }) {
  expect(response.status, text).toBe(200);
  if (isStream) {
    expect(assembleChat(text)).toMatchObject({ content: { '0/content': PIECES.join('') }, complete: true });
  } else expect(JSON.parse(text).choices[0].message.content).toBe(PIECES.join(''));
  const record = await eventually('the record', async () => (await gateway.get('/api/usage', account.key)).data[0]);
  expect(record).toMatchObject({ status: 'ok', cost_nano: COST_NANO });
}

describe.each(NAMES)('%s', (name) => {
  const platform = PLATFORMS[name] as Platform;

  test.each([false, true])('serves, streamed: %p', async (isStream) => {
    const asked = await ask(name, FAULTS.length, isStream, isStream ? platform.stream() : platform.whole());
    expect(asked.response.headers.get('x-svc-channel')).toBe(idOf(name, FAULTS.length));
    await expectServed(isStream, asked);
    expect(second.requests).toEqual([]);
  });

  test.each(FAULTS.map((fault, index) => ({ ...fault, index })))(
    '$name, streamed: $isStream: another channel goes on',
    async ({ index, isStream, left, play }) => {
      const asked = await ask(name, index, isStream, play(platform));
      const begun = left === undefined ? [] : [idOf(name, index)];
      const channels = left === 'begun' ? begun : [...begun, 'second'];
      expect(channels).toContain(asked.response.headers.get('x-svc-channel') ?? '');
      await expectServed(isStream, asked);
      expect(gateway.audit()).toEqual([]);
    },
  );
});

test('Azure’s content filter is the client’s own affair: no other channel is asked, and nothing is charged', async () => {
  const error = { code: 'content_filter', message: 'The prompt triggered the content filter.', status: 400 };
  const { response, text } = await ask('azure', FAULTS.length + 1, false, jsonScript(400, { error }));
  expect([response.status, JSON.parse(text).error.code]).toEqual([400, 'content_rejected']);
  expect(second.requests).toEqual([]);
  expect((await gateway.get('/api/me', account.key)).balance_ntd).toBe(1);
});

test.each(WITH_TOKENS)(
  '%s: a token that is refused is renewed once for all calls, on the same channel',
  async (name) => {
    const index = FAULTS.length + 2;
    const platform = PLATFORMS[name] as Platform;
    let given = 0;
    let isRevoked = false;
    gateway.upstream.otherwise((request) => {
      if (isToken(request))
        return jsonScript(200, { access_token: `${isRevoked ? 'new' : 'old'}-${given++}`, expires_in: 3_600 });
      const isOld = request.headers.authorization?.startsWith('Bearer old') === true;
      return isOld && isRevoked ? jsonScript(401, { error: { message: 'The token was revoked.' } }) : platform.whole();
    });
    const ask = () => gateway.chat(account.key, { model: idOf(name, index) });
    expect((await ask()).status).toBe(200);
    isRevoked = true;
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    for (const { status, headers } of answers) {
      expect([status, headers.get('x-svc-channel')]).toEqual([200, idOf(name, index)]);
    }
    expect([given, second.requests]).toEqual([2, []]);
    expect(gateway.audit()).toEqual([]);
  },
);
