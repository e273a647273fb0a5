// Every call that an answer offers works as it is written, whatever the configuration of the server: next steps, actions,
// examples of the OpenAPI document, and the commands of the docs and of the texts for agents.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGoals } from '../../bench/agent/run-goals.ts';
import { finished } from '../bootstrap/fresh-clone.ts';
import type { Answer } from '../support/answer.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { OTHER_KINDS, otherAnswer } from '../support/other-answers.ts';
import { type PathProxy, startPathProxy } from '../support/path-proxy.ts';
import { readCommands } from '../support/read-command.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';

/** Commands of whole pages, on a machine that may be busy. */
setDefaultTimeout(60_000);

interface Server {
  name: string;
  /** Undefined: the gateway's own address. */
  path?: string;
  document(standard: TestDocument): TestDocument;
  paidModel: string;
  freePerMinute?: number;
}

const demoModel = (id: string, rest: Record<string, unknown>) => ({
  ...{ id, max_output_tokens: 1_000, routes: [{ channel: 'demo', model: 'demo' }] },
  ...rest,
});
const FREE = demoModel('auto:free', { price: 'free' });
const SMALL = demoModel('demo-small', { price: { input: 8.125, output: 65 } });
/** One token costs NT$1. */
const DEAR = demoModel('dear', { price: { input: 1_000_000, output: 1_000_000 } });
const MEDIA = [
  upModel('vectors-1', { kinds: ['embeddings'], price: { input: 1 } }),
  upModel('pictures-1', { kinds: ['images'], price: { image: 0.001 } }),
  ...Object.entries(OTHER_KINDS).map(([kind, fields]) => upModel(`${kind}-1`, fields)),
];

const SERVERS: readonly Server[] = [
  {
    name: 'with the models of the embedded default',
    document: (standard) => ({ ...standard, models: [FREE, SMALL, DEAR, ...MEDIA] }),
    paidModel: 'demo-small',
    freePerMinute: 6,
  },
  {
    name: 'with other models and limits, below a path of another address',
    path: '/ai/gateway',
    document: (standard) => ({
      ...standard,
      models: [demoModel('acme-large.2', { aliases: ['large'], price: { input: 3, output: 9 } }), DEAR, FREE, ...MEDIA],
      limits: { ...standard.limits, free_per_minute: 9, free_per_day_zero: 70, paid_per_minute: 90, in_flight: 3 },
      guards: { ...standard.guards, free_input_tokens: 20_000, free_output_tokens: 300, free_in_flight: 2 },
    }),
    paidModel: 'acme-large.2',
    freePerMinute: 9,
  },
  {
    name: 'without a free model',
    document: (standard) => ({ ...standard, models: [SMALL, DEAR, ...MEDIA] }),
    paidModel: 'demo-small',
  },
];

describe.each(SERVERS)('a server $name', ({ path, document, paidModel, freePerMinute }) => {
  const folder = mkdtempSync(join(tmpdir(), 'offered-calls-'));
  let gateway: TestGateway;
  let proxy: PathProxy | undefined;
  /** Where its clients find it. */
  let url: string;

  beforeAll(async () => {
    proxy = path === undefined ? undefined : startPathProxy(path, () => gateway.url);
    gateway = await startTestGateway({ document, env: proxy ? { PUBLIC_URL: proxy.url } : {} });
    gateway.upstream.otherwise(
      ({ path: asked }) => otherAnswer(asked) ?? (asked.endsWith('/embeddings') ? vectorAnswer() : pictureAnswer()),
    );
    url = proxy?.url ?? gateway.url;
  });
  afterAll(async () => {
    await gateway.stop();
    await proxy?.close();
    rmSync(folder, { recursive: true });
  });

  const getText = async (place: string) => (await fetch(url + place)).text();
  const withCard = async (text: string) =>
    /PC-/.test(text) ? text.replaceAll(/PC-(…|[0-9A-Z-]{34})/g, (await issueCard(gateway)).code) : text;

  async function send(call: { method: string; href: string; body?: unknown }, key?: string): Promise<Response> {
    expect(call.href).toStartWith(`${url}/`);
    return fetch(call.href, {
      method: call.method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: await withCard(JSON.stringify(call.body)) }),
    });
  }

  async function expectOk(response: Response, what: string): Promise<string> {
    const text = await response.text();
    expect([what, response.status < 300 ? 'ok' : text]).toEqual([what, 'ok']);
    // A stream can end with an error.
    expect(text).not.toMatch(/^data: .*"error":\{/m);
    return text;
  }

  test('every next step', async () => {
    const { next_steps: steps }: Answer = await (await fetch(`${url}/api/agent/register`, { method: 'POST' })).json();
    expect(steps.length).toBeGreaterThan(7);
    for (const { run } of steps) {
      const [call] = readCommands(await withCard(run));
      expect(call?.url).toStartWith(`${url}/`);
      await expectOk(await fetch(call?.url ?? '', { ...call }), run);
    }
  });

  test('every example of the OpenAPI document', async () => {
    const { key } = await gateway.register();
    const { servers, paths }: Answer = JSON.parse(await getText('/openapi.json'));
    const examples: string[] = [];
    /** Of what the examples before have made. */
    const ids: string[] = [];
    const modelAt = (place: string): string => paths[place].post.requestBody.content['application/json'].example.model;
    const fill = (place: string, parameters: Answer[] = []) =>
      parameters
        .filter(({ in: where }) => where === 'path')
        .reduce((filled, { name, schema }) => {
          const model = modelAt(/embed/i.test(place) ? '/v1/embeddings' : '/v1/chat/completions');
          const id = name === 'model' ? model : ids.findLast((one) => new RegExp(schema.pattern).test(one));
          return filled.replace(`{${name}}`, id ?? 'nothing-was-made');
        }, place);
    for (const [place, methods] of Object.entries<Answer>(paths)) {
      for (const [method, { requestBody, parameters }] of Object.entries<Answer>(methods)) {
        const body = requestBody?.content['application/json']?.example;
        if (body === undefined) continue;
        const href = servers[0].url + fill(place, parameters);
        const response = await send({ method: method.toUpperCase(), href, body }, key);
        const [, id] = /^\{.*?"id":"([^"]+)"/.exec(await expectOk(response, `${method} ${place}`)) ?? [];
        if (id !== undefined) ids.push(id);
        examples.push(place);
      }
    }
    expect(examples).toEqual(expect.arrayContaining(['/v1/embeddings', '/v1/images/generations', '/api/quote']));
  });

  /** Runs the commands of a page as they stand; names of things are replaced by those of this account. */
  async function runPage(place: string): Promise<number> {
    const { key } = await gateway.register();
    const made = await gateway.chat(key, { model: paidModel });
    await made.text();
    const { id } = await createKey(gateway, key, {});
    const blocks = codeBlocks(await getText(place)).filter(
      ({ language, code }) =>
        language === 'sh' && code.includes('curl ') && !/^(npx|claude|codex|opencode) /m.test(code),
    );
    const script = (await withCard(blocks.map(({ code }) => code).join('\n')))
      // A stream that goes on is ended by the limit of time of its command, which curl reports.
      .replaceAll(/^(curl .*--max-time )\d+(.*)$/gm, '$11$2 || [ $? = 28 ]')
      .replaceAll('YOUR_KEY', key)
      .replaceAll(/\bkey_[0-9a-z]{20,}/g, id)
      .replaceAll(/\breq_[0-9a-z]{20,}/g, made.headers.get('x-request-id') ?? '');
    const child = Bun.spawn(['sh', '-ec', script], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', no_proxy: '127.0.0.1', KEY: key },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const { exitCode, stdout, stderr } = await finished(child);
    expect([place, exitCode, stderr]).toEqual([place, 0, '']);
    const [error] = /.{0,100}"error":\{.{0,300}/.exec(stdout) ?? [];
    expect([place, error]).toEqual([place, undefined]);
    return blocks.length;
  }

  test.each(['/', '/auth.md', '/skill.md'])('every command of %s', async (place) => {
    expect(await runPage(place)).toBeGreaterThan(1);
  });

  if (freePerMinute !== undefined) {
    test('every command of the docs for users', async () => {
      const sources = [...(await getText('/llms-full.txt')).matchAll(/^Source: (\S+)$/gm)].map(([, href = '']) => href);
      expect(sources.length).toBeGreaterThan(8);
      let ran = 0;
      for (const href of sources) {
        expect(href).toStartWith(`${url}/docs/`);
        ran += await runPage(href.slice(url.length));
      }
      expect(ran).toBeGreaterThan(20);
    });
  }

  describe('every action of a refusal', () => {
    const CHAT = '/v1/chat/completions';
    const messages = [{ role: 'user', content: 'Hi' }];
    const paid = () => ({ model: paidModel, messages });
    type Refused = (key: string) => Promise<[response: Response, key: string | undefined]>;

    const limited = async (manager: string, fields: Record<string, unknown>) =>
      (await createKey(gateway, manager, fields)).key;
    const call = (place: string, key: string | undefined, body?: unknown, headers = {}) =>
      gateway.call(place, { key, headers, ...(body === undefined ? {} : { body }) });

    const REFUSED: Record<string, Refused> = {
      invalid_api_key: async () => [await call('/api/me', undefined), undefined],
      route_not_found: async (key) => [await call('/api/balance', key), key],
      model_not_found: async (key) => [await call(CHAT, key, { ...paid(), model: 'gpt-6' }), key],
      unsupported_endpoint: async (key) => [await call('/v1/embeddings', key, { model: paidModel, input: 'Hi' }), key],
      quote_expired: async (key) => [await call(CHAT, key, paid(), { 'x-svc-quote': 'qte_none' }), key],
      quote_mismatch: async (key) => {
        const quote: Answer = await (await call('/api/quote', key, { endpoint: CHAT, body: paid() })).json();
        const other = { ...paid(), max_tokens: 5 };
        return [await call(CHAT, key, other, { 'x-svc-quote': quote.quote_id }), key];
      },
      insufficient_balance: async (key) => [await call(CHAT, key, { ...paid(), model: 'dear' }), key],
      key_budget_exceeded: async (manager) => {
        const key = await limited(manager, { budgets: { total_ntd: 0.000000001 } });
        return [await call(CHAT, key, { ...paid(), max_tokens: 50 }), key];
      },
      rate_limited: async (manager) => {
        const key = await limited(manager, { rates: { requests_per_minute: 1 } });
        await (await call(CHAT, key, paid())).text();
        return [await call(CHAT, key, paid(), { 'x-svc-no-wait': '1' }), key];
      },
      model_not_allowed: async (manager) => {
        const key = await limited(manager, { models: ['dear'] });
        return [await call(CHAT, key, paid()), key];
      },
      free_minute_limit: async (key) => {
        const free = { ...paid(), model: 'auto:free' };
        for (let count = 0; count < (freePerMinute ?? 0); count++) await (await call(CHAT, key, free)).text();
        return [await call(CHAT, key, free, { 'x-svc-no-wait': '1' }), key];
      },
    };
    const possible = Object.entries(REFUSED).filter(
      ([code]) => code !== 'free_minute_limit' || freePerMinute !== undefined,
    );

    test.each(possible)('%s', async (code, refuse) => {
      const { key: manager } = await gateway.register();
      const [response, key] = await refuse(manager);
      const { error }: Answer = await response.json();
      expect(error).toMatchObject({ code, docs_url: `${url}/docs/errors#${code}` });
      expect(error.actions.length).toBeGreaterThan(0);
      for (const action of error.actions) {
        const isForManager = action.why.includes('needs a managing key');
        await expectOk(await send(action, isForManager ? manager : key), `${action.method} ${action.href}`);
      }
    });
  });

  test('an agent that knows only the address reaches every goal', async () => {
    const { goals, deadEnds, medianCalls } = await runGoals(url, { card: (await issueCard(gateway)).code });
    expect(goals.filter(({ missed }) => missed !== undefined)).toEqual([]);
    expect(deadEnds).toEqual([]);
    expect(medianCalls).toBeLessThanOrEqual(4);
  });
});

test('an agent that is led nowhere says so', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('Hello') });
  const { goals, deadEnds } = await runGoals(`http://127.0.0.1:${server.port}`, { card: '' });
  await server.stop(true);
  expect(goals.filter(({ missed }) => missed === undefined)).toEqual([]);
  expect(deadEnds[0]).toContain('nothing that was read leads to');
});
