// A refusal whose status speaks of our key or of a route, though the request itself is at fault: the client is told so, and
// however often it comes nothing is said of the channel, which stays open for everybody else.

import { beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { chatAnswer, errorScript, jsonScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { type ChannelSet, useTwoChannels } from '../support/two-channels.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';

/** As many as open a breaker. */
const OFTEN = 5;
const ALARMS = ['upstream_refused_our_key', 'upstream_route_missing'];

let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;
useTwoChannels((inUse) => {
  ({ second, gateway, account, set } = inUse);
});

const alarms = () => ALARMS.flatMap((name) => gateway.log.alarms(name));

/** Somebody else's call on the same channel. */
async function expectOpen(): Promise<void> {
  gateway.upstream.reset();
  gateway.upstream.next(chatAnswer());
  const other = await gateway.register();
  expect((await gateway.chat(other.key, { model: set.alone })).status).toBe(200);
}

const flaggedBy = (metadata: Record<string, unknown>, message = 'No.') =>
  errorScript(403, { code: 403, message, metadata });
const XAI = {
  code: 'The caller does not have permission to execute the specified operation',
  error: 'Content violates usage guidelines. Team: t, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO',
};

const flagged: [what: string, script: Script][] = [
  ['OpenRouter, with reasons', flaggedBy({ reasons: ['violence'], provider_name: 'x', model_slug: 'm' })],
  ['OpenRouter, with the words', flaggedBy({ flagged_input: 'so…so' })],
  ['xAI', jsonScript(403, XAI)],
  ['xAI behind OpenRouter', flaggedBy({ raw: JSON.stringify(XAI), provider_name: 'xAI' })],
];
test.each(flagged)('403 for flagged content: %s', async (_, script) => {
  const before = alarms().length;
  for (const stream of [false, true]) {
    gateway.upstream.next(script);
    const response = await gateway.chat(account.key, { model: set.both, stream });
    expect(response.status).toBe(400);
    const { error }: Answer = await response.json();
    expect(error.code).toBe('content_rejected');
    expect(JSON.stringify(error)).not.toContain('violence');
  }
  expect(second.requests).toEqual([]);
  expect(alarms()).toHaveLength(before);
  await expectOpen();
});

const wall: Script = { status: 403, headers: { 'content-type': 'text/html' }, body: ['<html>Blocked</html>'] };
const unclear: [what: string, script: Script, code: string][] = [
  ['a page of a firewall', wall, 'content_rejected'],
  ['nothing at all', { status: 403, body: [] }, 'content_rejected'],
  ['a message without a reason', flaggedBy({ provider_name: 'x' }), 'invalid_request'],
  ['a key that it quotes', flaggedBy({}, 'Blocked: "my API key is disabled".'), 'invalid_request'],
  ['a policy', flaggedBy({}, 'This request is against our usage policies.'), 'content_rejected'],
];
describe.each(unclear)('403 that does not speak of our key: %s', (_, script, code) => {
  test('is reported to the client, opens no breaker and raises no alarm', async () => {
    const before = alarms().length;
    gateway.upstream.otherwise(script);
    for (let time = 0; time < OFTEN; time++) {
      const response = await gateway.chat(account.key, { model: set.alone, stream: time % 2 === 1 });
      expect(response.status).toBe(400);
      expect(((await response.json()) as Answer).error.code).toBe(code);
    }
    expect(gateway.upstream.requests).toHaveLength(OFTEN);
    expect(alarms()).toHaveLength(before);
    await expectOpen();
  });

  test('another channel is asked, unless it speaks of content', async () => {
    gateway.upstream.next(script);
    second.next(chatAnswer());
    const isPolicy = code === 'content_rejected' && (script.body ?? []).join('').includes('policies');
    expect((await gateway.chat(account.key, { model: set.both })).status).toBe(isPolicy ? 400 : 200);
  });
});

const keys: [what: string, script: Script][] = [
  ['a type', errorScript(403, { message: 'No.', type: 'permission_error' })],
  ['a code', errorScript(403, { message: 'No.', type: 'invalid_request_error', code: 'invalid_api_key' })],
  ['our account', errorScript(403, { message: 'Your account was deactivated for violating our usage policies.' })],
  [
    'our country',
    errorScript(403, { message: 'Country, region, or territory not supported', type: 'request_forbidden' }),
  ],
  [
    'our project',
    errorScript(403, { message: 'Project `p` does not have access to model `m`', code: 'model_not_found' }),
  ],
  ['Google', jsonScript(403, { error: { code: 403, message: 'No.', status: 'PERMISSION_DENIED' } })],
  ['xAI', jsonScript(403, { code: XAI.code, error: 'Your team has no credits.' })],
  ['the words inside another sentence', flaggedBy({}, 'The key is not for "Content violates usage guidelines".')],
  ['a failure behind it', flaggedBy({ raw: JSON.stringify({ error: 'The team has no access.' }) })],
];
test.each(keys)('403 that speaks of our key: %s', async (_, script) => {
  const before = alarms().length;
  gateway.upstream.next(script);
  expect((await gateway.chat(account.key, { model: set.alone })).status).toBe(502);
  expect(alarms()).toHaveLength(before + 1);
  expect((await gateway.chat(account.key, { model: set.alone })).status).toBe(503);
});

const FILE_ID = 'file-011CNha8iCJcU1wXNR6q4V8w';
const withPart = (part: Record<string, unknown>) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, part] }],
});
const BY_ID = withPart({ type: 'file', file: { file_id: FILE_ID } });
/** For a file of which nothing but its id is known a whole context is held. */
async function payIn(): Promise<void> {
  const { code } = await issueCard(gateway);
  expect((await gateway.call('/api/redeem', { key: account.key, body: { code } })).status).toBe(200);
}
const notFound = (message: string, more = {}) => errorScript(404, { message, type: 'invalid_request_error', ...more });

describe('404 for what the request names', () => {
  beforeEach(payIn);
  const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
  const missing: [message: string, body: Record<string, unknown>][] = [
    [`No such File object: ${FILE_ID}`, BY_ID],
    [`File not found: ${FILE_ID}`, BY_ID],
    ["Vector store with id 'vs_1' not found.", { tools, extra: { vector_store_ids: ['vs_1'] } }],
    ["Container with id 'cntr_1' not found.", { container: { id: 'cntr_1' } }],
    ['Skill not found: skill_1', { container: { skills: [{ skill_id: 'skill_1' }] } }],
  ];
  test.each(missing)('%s', async (message, body) => {
    const before = alarms().length;
    gateway.upstream.otherwise(notFound(message));
    for (let time = 0; time < OFTEN; time++) {
      const response = await gateway.chat(account.key, { model: set.alone, max_tokens: 1, ...body });
      expect(response.status).toBe(400);
      const { error }: Answer = await response.json();
      expect(error.code).toBe('invalid_request');
      expect(error.message).toStartWith(`The upstream refused the request: ${message.slice(0, 4)}`);
      expect(error.message).not.toContain(FILE_ID);
    }
    expect(alarms()).toHaveLength(before);
    await expectOpen();
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 101, held_nano: '0' });
  });

  test('another channel is asked: it may be of the account that has it', async () => {
    gateway.upstream.next(notFound(`No such File object: ${FILE_ID}`));
    second.next(chatAnswer());
    const response = await gateway.chat(account.key, { model: set.both, max_tokens: 1, ...BY_ID });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe(set.second);
  });

  test('the client gets the refusal when no channel has it', async () => {
    for (const upstream of [gateway.upstream, second]) upstream.next(notFound(`No such File object: ${FILE_ID}`));
    const response = await gateway.chat(account.key, { model: set.both, max_tokens: 1, ...BY_ID });
    expect(response.status).toBe(400);
    expect(second.requests).toHaveLength(1);
  });
});

const HELD = { type: 'object', properties: { file_id: { type: 'string' } } };
const routes: [what: string, script: Script, body: Record<string, unknown>][] = [
  ['nothing is named', notFound('No such File object: x'), {}],
  [
    'a tool has such a field',
    notFound('No such File object: x'),
    { tools: [{ type: 'function', function: { name: 'f', parameters: HELD } }] },
  ],
  ['another thing is named', notFound('Container not found'), BY_ID],
  ['the model', notFound('The model `my-file-model` does not exist.', { code: 'model_not_found' }), BY_ID],
  ['a path of llama.cpp', errorScript(404, { code: 404, message: 'File Not Found', type: 'not_found_error' }), BY_ID],
  ['no words', { status: 404, body: ['File not found'] }, BY_ID],
];
test.each(routes)('any other 404 is about the route: %s', async (_, script, body) => {
  await payIn();
  const before = alarms().length;
  gateway.upstream.next(script);
  expect((await gateway.chat(account.key, { model: set.alone, max_tokens: 1, ...body })).status).toBe(502);
  expect(alarms()).toHaveLength(before + 1);
});
