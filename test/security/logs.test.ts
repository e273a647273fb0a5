// What is written about a call: no content (S16), only listed fields on lines of their own (S17).

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { describeError } from '../../src/kit/log.ts';
import { createMark, findMark, findMarkIn } from '../privacy/find-mark.ts';
import { eventually } from '../support/eventually.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { errorScript } from '../support/openai-chat.ts';
import { UPSTREAM_KEY } from '../support/test-document.ts';
import { LISTED_ROUTES, type ListedRoute, pathOf } from './route-list.ts';
import { answerAny, startSecure } from './start-secure.ts';

const mark = createMark();
const WORDS = mark.join(' ');
const [WORD = ''] = mark;
/** Control characters of terminals and of line readers. */
const HOSTILE = `${WORD}\u001b[2J\u001b]0;x\u0007\r\n{"level":"alarm","event":"forged"}\u2028\u2029\u0085\u009b31m`;

let gateway: TestGateway;
let account: TestAccount;
const answers: string[] = [];
beforeAll(async () => {
  gateway = await startSecure();
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
  const body = await response.text();
  if (response.status >= 400) answers.push(body);
};

describe('S16 marked text', () => {
  test('S16 goes through every route, with upstreams that answer, refuse, fail and quote it', async () => {
    const upstreams = [
      answerAny,
      () => errorScript(400, { message: `about ${WORDS}`, type: WORD, code: WORD, param: WORD }),
      () => errorScript(401, { message: WORDS }),
      () => ({ status: 500, body: [WORDS] }),
      () => ({ status: 200, body: [WORDS] }),
    ];
    for (const upstream of upstreams) {
      gateway.upstream.otherwise(upstream);
      for (const route of LISTED_ROUTES) {
        await send(route, WORDS);
        if (route.body?.model) await send(route, WORDS, { stream: true });
        if (route.body?.model) await send(route, WORDS, { model: WORD });
      }
    }
    gateway.upstream.otherwise(answerAny);
    await eventually('every call to be closed', () => gateway.sql('SELECT * FROM holds').length === 0);
    expect(gateway.upstream.requests.some(({ body }) => body.includes(WORD))).toBe(true);
  });

  test('S16 stands in no file and no line', () => {
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
    'at level event request_id trace_id account_id key_id node_id model channel endpoint outcome code status ms count revision cost_nano url file detail'.split(
      ' ',
    ),
  );

  test('S17 is JSON lines of listed fields, without a control character, whatever came in', async () => {
    gateway.upstream.otherwise(() => errorScript(500, { message: HOSTILE, code: HOSTILE }));
    for (const route of LISTED_ROUTES) await send(route, HOSTILE);
    gateway.upstream.otherwise(answerAny);
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
