// An upstream that refuses the request itself: no other channel is asked, and the client gets the upstream's words only as
// far as they are about the request.

import { describe, expect, test } from 'bun:test';
import { cleanText } from '../../src/channels/clean-text.ts';
import type { Answer } from '../support/answer.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { type ChannelSet, useTwoChannels } from '../support/two-channels.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';

const SHORT_KEY = 'fake-key9';
let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;

/** By name instead of number, as an operator may write it. */
const named = (baseUrl: unknown) => String(baseUrl).replace('127.0.0.1', 'localhost');

useTwoChannels(
  (inUse) => {
    ({ second, gateway, account, set } = inUse);
  },
  { change: ({ base_url, ...rest }) => ({ ...rest, base_url: named(base_url), api_key: SHORT_KEY }) },
);

async function refused(
  script: Script,
  body: Record<string, unknown> = {},
): Promise<{ response: Response; error: Answer }> {
  gateway.upstream.next(script);
  const response = await gateway.chat(account.key, { model: set.both, ...body });
  const { error }: Answer = await response.json();
  expect(gateway.upstream.requests).toHaveLength(1);
  expect(second.requests).toEqual([]);
  return { response, error };
}

describe.each([{ stream: false }, { stream: true }])('%p', (body) => {
  test('400 passes with its message and its param, and costs nothing', async () => {
    const { response, error } = await refused(
      errorScript(400, {
        message: "Invalid 'temperature': must be at most 2.",
        type: 'x',
        param: 'temperature',
        code: null,
      }),
      body,
    );
    expect(response.status).toBe(400);
    expect(error).toMatchObject({
      code: 'invalid_request',
      type: 'invalid_request_error',
      param: 'temperature',
      message: "The upstream refused the request: Invalid 'temperature': must be at most 2.",
    });
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ status: 'invalid_request', channel: null, cost_nano: '0' });
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
    expect(gateway.audit()).toEqual([]);
  });

  test.each(['context_length_exceeded', 'string_above_max_length_too_long'])(
    '%s is a prompt too long',
    async (code) => {
      const { response, error } = await refused(
        errorScript(400, { message: 'too long', code, param: 'messages' }),
        body,
      );
      expect(response.status).toBe(400);
      expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
    },
  );

  test.each(['content_policy_violation', 'content_filter', 'moderation_blocked', 'invalid_prompt'])(
    '%s is content rejected',
    async (code) => {
      const { response, error } = await refused(errorScript(400, { message: 'no', code }), body);
      expect(response.status).toBe(400);
      expect(error.code).toBe('content_rejected');
    },
  );

  test('422 is the client’s to correct too', async () => {
    const { response, error } = await refused(errorScript(422, { message: 'Unprocessable' }), body);
    expect(response.status).toBe(400);
    expect(error.code).toBe('invalid_request');
  });
});

describe('an error without the usual envelope', () => {
  const MISTRAL = { object: 'error', type: 'invalid_request_error', param: null, code: '3051' };
  const VLLM = { object: 'error', type: 'BadRequestError', param: null, code: 400 };
  const XAI = { code: 'Client specified an invalid argument' };
  const full = [
    {
      ...MISTRAL,
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    },
    { ...VLLM, message: 'The maximum context length is 32768 tokens. However, you requested 40000 tokens.' },
    { ...XAI, error: "This model's maximum prompt length is 32768 but the request contains 40000 tokens." },
  ];
  test.each(full)('a prompt too long: %j', async (body) => {
    const { error } = await refused(jsonScript(400, body));
    expect(error.code).toBe('context_length_exceeded');
    expect(error.message).toContain(
      "prompt is too long: 40000 tokens > 32768 maximum. This model's maximum context length is 32768 tokens.",
    );
  });

  const bad = [
    { ...MISTRAL, message: 'Expected last role User' },
    { ...VLLM, message: 'Expected last role User' },
    { ...XAI, error: 'Expected last role User' },
  ];
  test.each(bad)('any other: %j', async (body) => {
    const { error } = await refused(jsonScript(400, body));
    expect(error).toMatchObject({
      code: 'invalid_request',
      message: 'The upstream refused the request: Expected last role User',
    });
  });
});

describe('a prompt too long, in the words of many', () => {
  const BAD = 'invalid_request_error';
  const full = [
    { code: 400, type: 'exceed_context_size_error', message: 'Too much.' },
    { code: 400, type: BAD, message: 'the request exceeds the available context size, try increasing it' },
    { type: BAD, message: "This model's maximum prompt length is 131072 but the request contains 150000 tokens." },
    { type: BAD, message: 'Invalid request: Your request exceeded model token limit: 131072' },
    { code: '1261', message: 'Prompt exceeds max length' },
    { type: BAD, message: 'Input is too long for requested model.' },
    { type: BAD, message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]' },
  ];
  test.each(full)('%j', async (said) => {
    const { error } = await refused(errorScript(400, said));
    expect(error.code).toBe('context_length_exceeded');
  });

  test.each([
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64.",
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
    'Range of max_tokens should be [1, 8192]',
    'temperature exceeds the maximum value of 2',
    'stop: too many sequences, the maximum length is 4',
  ])('but not: %s', async (message) => {
    const { error } = await refused(errorScript(400, { message }));
    expect(error.code).toBe('invalid_request');
  });
});

describe('of the message nothing passes that names the upstream', () => {
  const hostile: [what: string, make: () => string, never: () => string[]][] = [
    ['a link', () => 'See https://platform.upstream.example/docs?a=b for help.', () => ['upstream.example']],
    ['a host', () => 'Ask api.openai.com or Foo.Internal about it.', () => ['openai', 'Internal']],
    ['an address', () => 'Node 10.20.30.40:8080 says no.', () => ['10.20.30.40', '8080']],
    [
      'its own host',
      () => `Node localhost:${gateway.upstream.port} says no.`,
      () => ['localhost', `${gateway.upstream.port}`],
    ],
    [
      'a name with a port',
      () => 'Cannot reach vllm:8000/v1/models, gpu-7:443 or node7:80.',
      () => ['vllm', '8000', 'v1/models', 'gpu-7', '443', 'node7'],
    ],
    ['an address of six', () => 'Nodes [fd00::12]:8000 and [2001:db8:0:0:0:0:0:1].', () => ['fd00', '8000', 'db8']],
    [
      'a host of a house',
      () => 'See node7.corp.lan, vllm.default.svc, api.mycorp.eu, api.company.co.uk, inference.company.app.',
      () => ['node7', 'vllm', 'mycorp', 'company'],
    ],
    [
      'a host whose name is also one of a request',
      () => 'Ask content.mycorp.com, tools.corp.lan, my_node.corp.lan or messages-eu.mycorp.app/content.',
      () => ['mycorp', 'corp.lan', 'node', 'messages-eu'],
    ],
    [
      'a host after signs',
      () => 'It failed...api.mycorp.com, $api.mycorp.com, node[3].mycorp.lan, [x].api.mycorp.app',
      () => ['mycorp'],
    ],
    ['a bearer', () => 'Sent Authorization: Bearer abcdef123456.', () => ['abcdef123456']],
    ['a bearer of few letters', () => 'Sent bearer abc1, then Bearer abcdefghijkl.', () => ['abc1', 'abcdefghijkl']],
    ['an id of AWS', () => 'The key AKIA1234567890ABCDEF may not.', () => ['1234567890ABCDEF']],
    [
      'an ARN',
      () => 'Access to arn:aws:bedrock:us-east-1:123456789012:model/x, "arn:aws-cn:iam::123456789012:role/ops".',
      () => ['arn', 'bedrock', 'us-east-1', '1234', 'role', 'ops'],
    ],
    [
      'a resource of Google',
      () =>
        'In projects/my-proj-123/locations/us, `projects/plain`, /v1/projects/other-1/models/m:predict, folders/4711, organizations/815.',
      () => ['proj-123', 'locations', 'plain', 'other-1', 'predict', '4711', '815'],
    ],
    [
      'the number of an account',
      () => 'Of acct 123456789012, 1234-5678-9012; (210987654321), account ID: 4711471, project number 99887766554.',
      () => ['1234', '9012', '2109', '4711', '99887'],
    ],
    [
      'a bare address of six',
      () => 'Nodes fe80::1, ::1 and fe80::2%eth0: 2001:db8:0:0:0:0:0:1, fd00::12:8000, ::ffff:192.0.2.7 or 2001:DB8::.',
      () => ['fe80', 'eth0', 'db8', 'DB8', '::', 'fd00', '8000', '192'],
    ],
    [
      'a path of Windows',
      () => String.raw`In C:\Users\ops\x, "D:\\srv\\main.py", C:\Program Files\Acme Corp\serve.exe, \\filer7\share\y.`,
      () => ['Users', 'ops', 'srv', 'main', 'Files', 'Acme', 'serve', 'filer7', 'share'],
    ],
    [
      'the address of a mailbox',
      () => 'Not for bob@corp-mail.com or robot-1@my-proj.iam.gserviceaccount.com.',
      () => ['bob', 'corp', 'robot', 'my-proj'],
    ],
    ['a path', () => 'File "/srv/app/main.py", line 3.', () => ['srv', 'main.py']],
    ['its own key', () => `The key ${SHORT_KEY} may not do that.`, () => [SHORT_KEY]],
    ['a foreign key', () => 'The key sk-proj-abcdEFGH1234 may not do that.', () => ['abcdEFGH1234']],
    [
      'an organisation',
      () => 'Organization org-AbCd1234 is over quota, request req_0123abcd.',
      () => ['AbCd1234', '0123abcd'],
    ],
    ['an opaque id', () => 'Deployment 4f2d8c1e9a7b4c6d8e0f1a2b3c4d5e6f failed.', () => ['4f2d8c1e9a7b']],
  ];
  test.each(hostile)('%s', async (_, make, never) => {
    const { error } = await refused(errorScript(400, { message: make() }));
    const { request_id: _random, docs_url: _port, ...told } = error;
    for (const secret of never()) expect(JSON.stringify(told)).not.toContain(secret);
    expect(error.message).toStartWith('The upstream refused the request: ');
    expect(gateway.log.text()).not.toContain(make());
  });

  test.each([
    'gpt-4.1 and claude-3.5 take max_tokens: 500, or max_tokens:500, by 12:30 or [12:30:45].',
    'Line 3, line:30, status:429, limit:4096: messages[0].content:100 of llama3.1:70b.',
    'Use /v1/responses or v1/chat/completions; /messages/0/content is image/png and/or text.',
    'The Bearer token came at 2026-01-01T12:30:45Z.',
    'tools.0.custom.input_schema.properties.app.type: Input should be an object',
    'messages.1.content.0.input.home.co: Field required; messages[1].content[0].input.run.sh and tool_calls[0].function.app are none.',
    "Invalid 'tools[0].function.parameters.properties.test.items.de', 'input.0.content.io' or 'properties.local.ai'.",
    'See #/definitions/Foo, #/$defs/Foo/properties/app, $defs.app.type and /properties/app/type, at /response_format/json_schema/schema.',
    'Use POST /chat/completions or /responses/compact; /tool_choice/function is none.',
    'It is requested:5000 used:1234 maximum:4096 minimum:10 seed:42 budget:1024 limit:4096 remaining:20 total:9999.',
    'The ratio is 16:9, 1:2:3 or 10:1; at 12:30:45 std::vector<int>, Foo::Bar and a::b, each by ::, came.',
    'The limit is 1234567890 tokens of 12345678901234; temperature 0.123456789012; total 1,000,000; on 2026-01-15.',
    'It has messages.0.content, tools[3].name, messages.12.content.3.tool_use_id, #/properties/projects/items and properties.projects.items.',
    String.raw`Start with "\n\nHuman:", not with \frac{a}{b}; the type is "a:b", or c: d, and \\u4e00\\u4e8c is text.`,
    'This account 12 of project 3 may use gpt-4o, claude-opus-4-1, gemini-2.5-pro, o3 and llama3.1:8b; learn: more, @ you.',
    'Missing bearer or basic authentication, or bearer credentials.',
  ])('but ordinary words do: %s', async (message) => {
    const { error } = await refused(errorScript(400, { message }));
    expect(error.message).toBe(`The upstream refused the request: ${message}`);
  });

  test('nor the machine itself, by whatever name its channel has', () => {
    expect(cleanText('Ask localhost about it.')).toBe('Ask [host] about it.');
  });

  test.each(['a-', 'a.', 'a+', 'a@', '1:', 'a::', 'C:\\a ', 'projects/', '\\\\a'])(
    'one of %s without end is short',
    (piece) => {
      expect(cleanText(piece.repeat(128_000)).length).toBeLessThan(500);
    },
  );

  test('a long one is not cut inside a word, which half would not be known by', () => {
    const link = `https://${'x'.repeat(190)} `;
    expect(cleanText(`${link.repeat(10)}x x sk-proj-abcdEFGH1234`)).not.toContain('sk-');
  });

  test('a long one without spaces keeps its words, but no half of a key', () => {
    const words = '参数无效，请检查后重试。'.repeat(200);
    expect(cleanText(words)).toBe(words.slice(0, 400));
    expect(cleanText(`https://${'x'.repeat(1980)}。sk-proj-abcdEFGH1234`)).toBe('[link]');
  });

  test('a very long one is cut', async () => {
    const { error } = await refused(errorScript(400, { message: 'so long '.repeat(10_000) }));
    expect(error.message.length).toBeLessThan(500);
  });

  const extra = { type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted', input: 7 };
  const deep = { type: 'missing', loc: ['body', 'messages', 0, 'content'], msg: 'Field required' };
  test.each<[what: string, body: unknown, param: string | null, words: string]>([
    ['Mistral', { object: 'error', message: { detail: [extra] } }, 'seed', 'seed: Extra inputs are not permitted'],
    ['FastAPI', { detail: [deep, extra] }, 'messages[0].content', 'messages[0].content: Field required; seed: Extra'],
    ['one without a place', { detail: [{ msg: 'Ask https://a.example' }] }, null, 'Ask [link]'],
    ['an odd place', { detail: [{ ...deep, loc: ['body', 'a b', {}] }] }, null, 'a b: Field required'],
  ])('a list of faults by fields is told: %s', async (_, body, param, words) => {
    const { response, error } = await refused(jsonScript(422, body));
    expect(response.status).toBe(400);
    expect(error.param).toBe(param);
    expect(error.message).toStartWith(`The upstream refused the request: ${words}`);
  });

  const shapeless: [what: string, script: Script][] = [
    ['HTML', { status: 400, headers: { 'content-type': 'text/html' }, body: ['<html>internal words</html>'] }],
    ['text', { status: 400, body: ['internal words'] }],
    ['another envelope', jsonScript(400, { detail: 'internal words', message: 'internal words' })],
    ['a list without faults', jsonScript(422, { detail: ['internal words', { msg: { a: 'internal words' } }] })],
    ['a message that is no text', errorScript(400, { message: { internal: 'internal words' } })],
    ['nothing', { status: 400, body: [] }],
  ];
  test.each(shapeless)('%s says only what our own table says', async (_, script) => {
    const { response, error } = await refused(script);
    expect(response.status).toBe(400);
    expect(error.message).toBe('The request is not valid. Correct it and send it again.');
    expect(JSON.stringify(error)).not.toContain('internal words');
  });

  test.each(['a b<script>', 'https://api.upstream.example/x', 'x'.repeat(200), '../../etc'])(
    'the param %s does not pass',
    async (param) => {
      const { error } = await refused(errorScript(400, { message: 'no', param }));
      expect(error.param).toBeNull();
    },
  );
});

test('a refusal counts as a request: the slot is not given back', async () => {
  gateway.upstream.next(errorScript(400, { message: 'no' }));
  await gateway.chat(account.key, { model: set.bothFree });
  expect((await gateway.get('/api/me', account.key)).free.minute.used).toBe(1);
});
