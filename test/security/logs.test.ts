// What is written about a call: no content (S16), only listed fields on lines of their own (S17).

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { describeError } from '../../src/kit/log.ts';
import { createMark, findMark, findMarkIn } from '../privacy/find-mark.ts';
import { eventually } from '../support/eventually.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { errorScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { type TestDocument, UPSTREAM_KEY } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';
import { LISTED_ROUTES, type ListedRoute, pathOf } from './route-list.ts';
import { answerAny, startSecure } from './start-secure.ts';

const mark = createMark();
const WORDS = mark.join(' ');
const [WORD = ''] = mark;
/** Control characters of terminals and of line readers. */
const HOSTILE = `${WORD}\u001b[2J\u001b]0;x\u0007\r\n{"level":"alarm","event":"forged"}\u2028\u2029\u0085\u009b31m`;

/** By the first word of the model that they are asked for. */
const UPSTREAMS: Readonly<Record<string, (request: SeenRequest) => Script>> = {
  answers: answerAny,
  refuses: () => errorScript(400, { message: `about ${WORDS}`, type: WORD, code: WORD, param: WORD }),
  locks: () => errorScript(401, { message: WORDS, type: WORD, code: WORD, param: WORD }),
  fails: () => errorScript(500, { message: `about ${WORDS}`, type: WORD, code: WORD, param: WORD }),
  quotes: () => ({ status: 200, body: [WORDS] }),
  hostile: () => errorScript(500, { message: HOSTILE, code: HOSTILE }),
};
const MODEL_ROUTES = LISTED_ROUTES.filter(({ body }) => body?.model !== undefined);
/** Tokens are counted here, without an upstream. */
const ASKING_ROUTES = MODEL_ROUTES.filter(({ path }) => !/_tokens$/.test(path));

/** Each is asked whole and as a stream. */
const CALLS = 2 * ASKING_ROUTES.length;
const PICTURES = ASKING_ROUTES.filter(({ path }) => path.startsWith('/v1/images/')).length;

const modelOf = (route: ListedRoute, upstream: string, isStream: boolean) =>
  `${upstream}-${LISTED_ROUTES.indexOf(route)}-${isStream ? 'streamed' : 'whole'}`;

/** Each call has a model and a channel of its own: what one failure does to them must not keep the next call from it. */
function apart(standard: TestDocument): TestDocument {
  const document = { ...standard, channels: [...standard.channels], models: [...standard.models] };
  for (const route of MODEL_ROUTES) {
    const like = standard.models.find(({ id }) => id === route.body?.model) ?? {};
    const [{ channel }] = like.routes as [{ channel: string }];
    for (const upstream of Object.keys(UPSTREAMS)) {
      for (const isStream of [false, true]) {
        const id = modelOf(route, upstream, isStream);
        document.channels.push({ ...standard.channels.find(({ name }) => name === channel), name: id });
        document.models.push({ ...like, id, aliases: [], routes: [{ channel: id, model: id }] });
      }
    }
  }
  return document;
}

let gateway: TestGateway;
let account: TestAccount;
/** In our own words. */
const faults: { what: string; text: string }[] = [];
beforeAll(async () => {
  gateway = await startSecure({ document: apart });
  gateway.upstream.otherwise((request) => (UPSTREAMS[request.json.model.split('-')[0]] ?? answerAny)(request));
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** The mark in every field, at every depth, and as a name. */
function marked(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((one) => marked(one, text));
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.entries(value).map(([name, one]) => [
    name,
    name === 'model' || name === 'role' ? one : marked(one, text),
  ]);
  return { ...Object.fromEntries(own), [text]: text };
}

const send = async (route: ListedRoute, text: string, rest: Record<string, unknown> = {}) => {
  const query = `?q=${encodeURIComponent(text)}`;
  const response = await gateway.call(pathOf(route, encodeURIComponent(text)) + query, {
    method: route.method,
    key: account.key,
    headers: { 'x-session-id': WORD, 'user-agent': WORD, 'idempotency-key': `${WORD}-${route.path}` },
    ...(route.body ? { body: { ...(marked(route.body, text) as Record<string, unknown>), ...rest } } : {}),
  });
  const told = `${await response.text()} ${JSON.stringify([...response.headers])}`;
  // An upstream's 400 is told in its words.
  const isOurs = response.status >= 400 && !String(rest.model).startsWith('refuses-');
  if (isOurs) faults.push({ what: `${route.path} ${rest.model}`, text: told });
  return response.status;
};

/** How many calls ended with each status. */
async function sendEach(upstream: string, text: string): Promise<Record<number, number>> {
  const ended: Record<number, number> = {};
  for (const route of ASKING_ROUTES) {
    for (const stream of [false, true]) {
      const status = await send(route, text, { model: modelOf(route, upstream, stream), ...(stream && { stream }) });
      ended[status] = (ended[status] ?? 0) + 1;
    }
  }
  return ended;
}

/** Of the calls to one kind of upstream, how many came there with the mark; a second try is the same call. */
function arrivedAt(upstream: string): number {
  const marked = gateway.upstream.requests.filter(({ body }) => body.includes(WORD));
  return new Set(marked.map(({ json }) => json.model).filter((model) => model.startsWith(`${upstream}-`))).size;
}

describe('S16 marked text', () => {
  test('S16 goes through every route, whatever is asked of it', async () => {
    for (const route of LISTED_ROUTES) {
      await send(route, WORDS);
      // What looks like a model's id is one, and is named.
      if (route.body?.model) await send(route, WORDS, { model: `${WORD} once more` });
    }
    expect(faults.length).toBeGreaterThan(MODEL_ROUTES.length);
  });

  test.each([
    // Those that fail are streamed pictures, which this upstream does not have.
    ['answers', { 200: CALLS - PICTURES, 502: PICTURES }],
    ['refuses', { 400: CALLS }],
    ['locks', { 502: CALLS }],
    ['fails', { 502: CALLS }],
    ['quotes', { 502: CALLS }],
  ])('S16 goes to an upstream that %s', async (upstream, ended) => {
    expect(await sendEach(upstream, WORDS)).toEqual(ended);
    expect(arrivedAt(upstream)).toBe(CALLS);
  });

  test('S16 stands in no fault', () => {
    const telling = faults.filter(({ text }) => findMark(mark, Buffer.from(text)).length > 0);
    expect(telling.map(({ what }) => what)).toEqual([]);
    expect(faults.length).toBeGreaterThan(30);
  });

  test('S16 stands in no file and no line', async () => {
    await eventually('every call to be closed', () => gateway.sql('SELECT * FROM holds').length === 0);
    expect(findMarkIn(mark, gateway.dataDir)).toEqual([]);
    expect(findMark(mark, Buffer.from(gateway.log.text()))).toEqual([]);
    expect(gateway.log.lines().length).toBeGreaterThan(10);
  });

  test('S16 would have been found: a name of a key is kept, and is there', async () => {
    await gateway.call('/api/keys', { key: account.key, body: { name: WORD } });
    expect(findMarkIn([WORD], gateway.dataDir).length).toBeGreaterThan(0);
  });
});

describe('S17 the log', () => {
  const FIELDS = new Set(
    'at level event request_id trace_id account_id key_id node_id model channel channels endpoint outcome tries code status ms count revision cost_nano url file detail severity'.split(
      ' ',
    ),
  );

  test('S17 is JSON lines of listed fields, without a control character, whatever came in', async () => {
    for (const route of LISTED_ROUTES) await send(route, HOSTILE);
    expect(await sendEach('hostile', HOSTILE)).toEqual({ 502: CALLS });
    expect(arrivedAt('hostile')).toBe(CALLS);
    const lines = gateway.log.text().split('\n').slice(0, -1);
    for (const line of lines) {
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      const fields = JSON.parse(line) as Record<string, unknown>;
      expect(Object.keys(fields).filter((name) => !FIELDS.has(name))).toEqual([]);
      for (const value of Object.values(fields)) expect(['string', 'number']).toContain(typeof value);
      expect(fields.event).not.toBe('forged');
    }
  });

  test('S17 holds no key, no secret and no address of a client', () => {
    const text = gateway.log.text();
    for (const secret of [account.key, account.key.slice(7, 50), UPSTREAM_KEY]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/sk-svc-[0-9A-Za-z]/);
    expect(
      gateway.log
        .lines()
        .filter(({ event }) => event !== 'serving' && event !== 'operator_serving')
        .map((line) => JSON.stringify(line))
        .join(''),
    ).not.toContain('127.0.0.1');
  });

  test('S17 tells an exception without its words', () => {
    let thrown: unknown;
    try {
      JSON.parse(`{"${WORD}`);
    } catch (error) {
      thrown = error;
    }
    expect(describeError(thrown)).not.toContain(WORD);
    expect(describeError(new Error(`${WORD}\n    at ${WORD} (x.ts:1:1)`))).not.toContain(WORD);
    expect(describeError({ message: WORD })).not.toContain(WORD);
  });
});
