// GET /openapi.json: a valid document that names every route and every fault, and that real answers agree with.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { AnySchema, ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { fault } from '../../src/faults/fault.ts';
import { FAULT_CODES } from '../../src/faults/table.ts';
import { writeFault } from '../../src/faults/write.ts';
import { describeCall, writeCalls } from '../../src/http/description.ts';
import { ROUTES } from '../../src/http/route-table.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard, unissuedCode } from '../support/issue-cards.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { OTHER_KINDS, otherAnswer } from '../support/other-answers.ts';
import { upModel } from '../support/test-document.ts';

const PUBLIC_URL = 'https://gateway.example.com';
/** Answered before any route is found. */
const OF_NO_ROUTE = ['route_not_found', 'method_not_allowed'];

/** The models that examples name. */
const EXAMPLE_MODELS = [
  upModel('text-embedding-3-small', { kinds: ['embeddings'], price: { input: 1 } }),
  upModel('gpt-image-1', { kinds: ['images'], price: { image: 0.001 } }),
  ...Object.entries(OTHER_KINDS).map(([kind, fields]) => upModel(`some-${kind}`, fields)),
];

let gateway: TestGateway;
let document: Answer;
let key: string;
let keyId: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    env: { PUBLIC_URL, SITE_NAME: 'Some Gateway' },
    document: (standard) => ({ ...standard, models: [...standard.models, ...EXAMPLE_MODELS] }),
  });
  gateway.upstream.otherwise(
    ({ path }) => otherAnswer(path) ?? (path.endsWith('/embeddings') ? vectorAnswer() : pictureAnswer()),
  );
  document = await (await gateway.call('/openapi.json')).json();
  ({ key, keyId } = await gateway.register());
});
afterAll(() => gateway.stop());

const operationsOf = (): [method: string, path: string, operation: Answer][] =>
  Object.entries<Answer>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Answer>(methods).map(([method, operation]): [string, string, Answer] => [method, path, operation]),
  );

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(document)).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('has every route and no other, with and without a key as the route is', () => {
    const told = operationsOf().map(([method, path, { security }]) => `${method} ${path} ${security ? 'none' : 'key'}`);
    const real = ROUTES.map(
      ({ method, path, auth }) =>
        `${method.toLowerCase()} ${path.replace(/\/:(\w+)/g, '/{$1}')} ${auth === 'none' ? 'none' : 'key'}`,
    );
    expect(told.sort()).toEqual(real.sort());
  });

  test('says of every route that takes a body that it does, and of no other', () => {
    const takes = ROUTES.filter(({ maxBytes, method }) => maxBytes > 0 && method !== 'DELETE');
    const told = operationsOf().filter(([, , { requestBody }]) => requestBody);
    expect(told.map(([method, path]) => `${method} ${path}`).sort()).toEqual(
      takes.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/\/:(\w+)/g, '/{$1}')}`).sort(),
    );
  });

  test('names this server, and nothing of the one that was called', () => {
    expect(document).toMatchObject({ info: { title: 'Some Gateway' }, servers: [{ url: PUBLIC_URL }] });
    expect(JSON.stringify(document)).not.toContain('127.0.0.1');
  });

  test('marks the fields that have a newer name, which the docs list', async () => {
    const marked = new Set<string>();
    const collect = (value: Answer): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Object.entries<Answer>(value)) {
        if (member?.deprecated === true) marked.add(`${name}: ${member.description}`);
        collect(member);
      }
    };
    collect(document);
    const page = await (await gateway.call('/docs/versioning.md')).text();
    const rows = [...page.matchAll(/^\| (`daily_[^|]*) \| ([^|]*) \|$/gm)];
    const listed = rows.flatMap(([, older = '', newer = '']) => {
      const [names = [], others = []] = [older, newer].map((cell) => cell.match(/[\w.]+/g) ?? []);
      return names.map((name, index) => `${name}: Another name of ${others[index]}.`);
    });
    expect(listed.length).toBeGreaterThan(5);
    expect([...marked].toSorted()).toEqual(listed.toSorted());
  });

  test('marks a call that is to be removed', () => {
    const about = { id: 'showOld', tag: 'public', summary: 'Old', result: 'It.', answer: z.string() };
    const calls = [
      describeCall('GET /old', true, { ...about, deprecated: true }),
      describeCall('GET /new', true, { ...about, id: 'showNew' }),
    ];
    const { paths } = writeCalls(calls, () => ({}));
    expect([paths['/old']?.get?.deprecated, paths['/new']?.get?.deprecated]).toEqual([true, undefined]);
  });

  test('names each operation once', () => {
    const ids = operationsOf().map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has every code of the table of faults, at an operation and with its status', () => {
    expect(document.components.schemas.FaultCode.enum).toEqual(FAULT_CODES);
    const told = new Set(
      operationsOf().flatMap(([, , { responses }]) =>
        Object.entries<Answer>(responses).flatMap(([status, { description }]) =>
          [...description.matchAll(/`(\w+)`: /g)].map(([, code]) => `${status} ${code}`),
        ),
      ),
    );
    const context = { requestId: 'req_1', publicUrl: PUBLIC_URL };
    const missing = FAULT_CODES.filter((code) => !OF_NO_ROUTE.includes(code)).filter(
      (code) => !told.has(`${writeFault(fault(code), 'openai', context).status} ${code}`),
    );
    expect(missing).toEqual([]);
    expect(told).toContain('529 unavailable');
  });

  test.each(['Error', 'AnthropicError'])('the schema %s fits every fault as it is written', (name) => {
    const envelope = name === 'Error' ? 'openai' : 'anthropic';
    for (const code of FAULT_CODES) {
      const { body } = writeFault(fault(code), envelope, { requestId: 'req_1', publicUrl: PUBLIC_URL });
      expectFits(body, { $ref: `#/components/schemas/${name}` });
    }
  });
});

describe('its delivery', () => {
  test('has an ETag, by which it is not sent twice', async () => {
    const first = await gateway.call('/openapi.json');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"openapi-[0-9a-f]{16}"$/);
    expect(first.headers.get('content-type')).toBe('application/json');
    const again = await gateway.call('/openapi.json', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const changed = await gateway.call('/openapi.json', { headers: { 'if-none-match': '"other"' } });
    expect(changed.status).toBe(200);
  });
});

const compiled = new Map<string, ValidateFunction>();

/** Fails on what the schema does not name, too: the document allows it for later, but now it would be an omission. */
function expectFits(answer: unknown, schema: object): void {
  const name = JSON.stringify(schema);
  const fits = compiled.get(name) ?? compile(schema);
  compiled.set(name, fits);
  fits(answer);
  expect(fits.errors ?? []).toEqual([]);
}

function compile(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  return ajv.compile(closeObjects({ ...schema, components: document.components }) as AnySchema);
}

/** An outline of a vendor's format stays open, as what it describes. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  if ('description' in value && String(value.description).startsWith('Outline')) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, closeObjects(member)]);
  const isClosed = 'properties' in value && 'type' in value && value.type === 'object';
  return { ...Object.fromEntries(entries), ...(isClosed ? { additionalProperties: false } : {}) };
}

interface RealCall {
  path: string;
  body?: unknown;
  method?: string;
  key?: string | undefined;
  headers?: Record<string, string>;
}

/** Makes a call and holds its answer against what the document says of it. */
async function expectAsDocumented(operationId: string, call: RealCall): Promise<Response> {
  const [, , operation] = operationsOf().find(([, , { operationId: id }]) => id === operationId) ?? [];
  const response = await gateway.call(call.path, { key, ...call });
  const told = operation?.responses[response.status];
  expect(told, `${operationId} ${response.status}`).toBeDefined();
  const type = (response.headers.get('content-type') ?? '').replace(/;.*/, '');
  const text = await response.clone().text();
  if (text !== '') {
    expect(Object.keys(told.content)).toContain(type);
    if (type === 'application/json') expectFits(JSON.parse(text), told.content[type].schema);
  }
  const code = type === 'application/json' && text !== '' ? JSON.parse(text).error?.code : undefined;
  if (code) expect(told.description).toContain(`\`${code}\`: `);
  return response;
}

/** Of a key that an example may change. */
async function spareKey(): Promise<string> {
  return (await createKey(gateway, key, {})).id;
}

/** Of a webhook that an example may change. */
async function spareWebhook(): Promise<string> {
  const listed: Answer = await gateway.get('/api/webhooks', key);
  if (listed.data.length > 0) return listed.data[0].id;
  const response = await gateway.call('/api/webhooks', { key, body: { url: 'https://example.com/' } });
  return ((await response.json()) as Answer).id;
}

/** The code of a card cannot be an example. */
async function withCard(example: Answer): Promise<Answer> {
  return example.code === undefined ? example : { ...example, code: (await issueCard(gateway)).code };
}

describe('real answers are as it says', () => {
  test('showAccount, of a key with a budget', async () => {
    const limited = await createKey(gateway, key, { daily_budget_ntd: 0.5 });
    const response = await expectAsDocumented('showAccount', { path: '/api/me', key: limited.key });
    const { properties } = document.components.schemas.OwnKey;
    expect(Object.keys(((await response.json()) as Answer).key).sort()).toEqual(Object.keys(properties).sort());
  });

  test.each([
    ['showHealth', { path: '/healthz' }],
    ['showReadiness', { path: '/readyz' }],
    ['showCatalog', { path: '/api/public/catalog' }],
    ['register', { path: '/api/agent/register', body: {}, key: undefined }],
    ['showAccount', { path: '/api/me' }],
    ['listUsage', { path: '/api/usage' }],
    ['listUsage', { path: '/api/usage?format=csv' }],
    ['listUsage', { path: '/api/usage?group_by=key' }],
    ['listUsage', { path: '/api/usage?group_by=key&format=csv' }],
    ['listKeys', { path: '/api/keys' }],
    ['listModels', { path: '/v1/models' }],
    ['showModel', { path: '/v1/models/auto:free' }],
    ['showModel', { path: '/v1/models/claude-auto' }],
    ['listGeminiModels', { path: '/v1beta/models' }],
    ['showGeminiModel', { path: '/v1beta/models/auto:free' }],
  ] as [string, RealCall][])('%s, %j', async (id, call) => {
    expect((await expectAsDocumented(id, call)).status).toBeLessThan(300);
  });

  test('every example is taken, and its answer told', async () => {
    const taken: string[] = [];
    for (const [method, path, { operationId, requestBody }] of operationsOf()) {
      if (!requestBody) continue;
      // A form needs a file, which no example has.
      if (!requestBody.content['application/json']) continue;
      const { example, schema } = requestBody.content['application/json'];
      expect(example, `${operationId} has no example`).toBeDefined();
      expectFits(example, schema);
      const response = await expectAsDocumented(operationId, {
        path: path
          .replace('{id}', await (path.startsWith('/api/webhooks/') ? spareWebhook() : spareKey()))
          .replace('{model}', /embed/i.test(operationId) ? 'text-embedding-3-small' : 'auto:free'),
        method: method.toUpperCase(),
        body: await withCard(example),
      });
      expect(response.status, operationId).toBeLessThan(300);
      taken.push(operationId);
    }
    expect(taken).toEqual(expect.arrayContaining(['createChatCompletion', 'createEmbedding', 'redeem', 'rotateKey']));
  });

  test.each([
    ['createChatCompletion', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['createResponse', '/v1/responses', { input: 'Hi' }],
    ['createMessage', '/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }],
  ])('%s of a paid model: every header of ours is documented', async (id, path, body) => {
    const limited = await createKey(gateway, key, { rates: { tokens_per_minute: 1_000_000 } });
    for (const stream of [false, true]) {
      const asked = { path, key: limited.key, body: { model: 'demo-small', stream, ...body } };
      const response = await expectAsDocumented(id, asked);
      expect(response.headers.has('x-ratelimit-limit-tokens')).toBe(true);
      const [, , operation] = operationsOf().find(([, , { operationId }]) => operationId === id) ?? [];
      const ours = [...response.headers.keys()].filter((name) => /^(x-svc|x-ratelimit|anthropic-rate)/.test(name));
      expect(Object.keys(operation?.responses[200].headers)).toEqual(expect.arrayContaining(ours));
    }
  });

  test('of a receipt, a usage record and the status, once there was traffic', async () => {
    const response = await gateway.chat(key, { model: 'demo-small' });
    await response.text();
    await expectAsDocumented('showReceipt', { path: `/api/receipts/${response.headers.get('x-request-id')}` });
    const usage = await expectAsDocumented('listUsage', { path: '/api/usage?limit=1' });
    expect(await usage.json()).toMatchObject({ has_more: true, data: [{ model: 'demo-small' }] });
    await expectAsDocumented('showStatus', { path: '/api/public/status' });
  });

  test('of the life of a key', async () => {
    const fields = { name: 'all', models: ['claude-auto'], daily_budget_ntd: 0.5, expires_at: '2100-01-01T00:00:00Z' };
    const made = await expectAsDocumented('createKey', { path: '/api/keys', body: fields });
    const path = `/api/keys/${(await made.json()).id}`;
    const changes = { name: null, budgets: { month_ntd: 5 }, rates: { in_flight: 3 }, delegate: true };
    await expectAsDocumented('changeKey', { path, method: 'PATCH', body: changes });
    await expectAsDocumented('listKeys', { path: '/api/keys' });
    await expectAsDocumented('rotateKey', { path: `${path}/rotate`, method: 'POST' });
    await expectAsDocumented('deleteKey', { path, method: 'DELETE' });
    const again = await expectAsDocumented('deleteKey', { path, method: 'DELETE' });
    const last = await expectAsDocumented('deleteKey', { path: `/api/keys/${keyId}`, method: 'DELETE' });
    expect([again.status, last.status]).toEqual([404, 409]);
  });

  test('of a card', async () => {
    const { code } = await issueCard(gateway);
    const redeem = (given: unknown) => expectAsDocumented('redeem', { path: '/api/redeem', body: { code: given } });
    expect((await redeem(code)).status).toBe(200);
    expect((await redeem(unissuedCode())).status).toBe(404);
    expect((await redeem('PC-0000')).status).toBe(400);
    expect((await redeem(7)).status).toBe(400);
  });

  test.each([
    ['showAccount', 401, { path: '/api/me', key: undefined }],
    ['listUsage', 400, { path: '/api/usage?limit=none' }],
    ['showReceipt', 404, { path: '/api/receipts/req_none' }],
    ['createKey', 400, { path: '/api/keys', body: { manage: true, daily_budget_ntd: 1 } }],
    ['showModel', 404, { path: '/v1/models/none', headers: { 'anthropic-version': '2023-06-01' } }],
    ['showModel', 404, { path: '/v1/models/none' }],
    ['createMessage', 404, { path: '/v1/messages', body: { model: 'none', max_tokens: 1, messages: [] } }],
    ['createChatCompletion', 400, { path: '/v1/chat/completions', body: { model: 'auto:free' } }],
    ['createEmbedding', 400, { path: '/v1/embeddings', body: { model: 'auto:free', input: 'Hi' } }],
    ['createImage', 401, { path: '/v1/images/generations', key: undefined, body: {} }],
    ['register', 403, { path: '/api/agent/register', body: {}, headers: { 'sec-fetch-site': 'cross-site' } }],
    ['showCatalog', 304, { path: '/api/public/catalog', headers: { 'if-none-match': '*' } }],
  ] as [string, number, RealCall][])('%s refused with %i', async (id, status, call) => {
    expect((await expectAsDocumented(id, call)).status).toBe(status);
  });
});
