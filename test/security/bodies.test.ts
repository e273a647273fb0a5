// Bodies: names in them are only names (S14), they are capped before they are parsed (S15), and what is checked is what
// is used and held for (S27).

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { faultCode } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { rawCall } from '../support/raw-call.ts';
import { upModel } from '../support/test-document.ts';
import { asksModel, LISTED_ROUTES, type ListedRoute, pathOf, ROUTES_WITH_BODY, SMALL_BYTES } from './route-list.ts';
import { answerAny, startSecure } from './start-secure.ts';

let gateway: TestGateway;
let account: TestAccount;
/** A key that may be changed and rotated. */
let spareId: string;
beforeAll(async () => {
  gateway = await startSecure({
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('dear', { price: { input: 1, output: 1_000 } }),
        upModel('wide', { price: { input: 0.001, output: 0.001 }, context_tokens: 2_000_000 }),
      ],
    }),
  });
  account = await gateway.register();
  spareId = (await createKey(gateway, account.key)).id;
});
afterAll(() => gateway.stop());

const withBody = ROUTES_WITH_BODY.map((route) => [`${route.method} ${route.path}`, route] as const);
/** Those that look at their body; a deletion does not. */
const reading = withBody.filter(([, { method }]) => method !== 'DELETE');
const MODEL_ROUTES = LISTED_ROUTES.filter(asksModel);

const send = async ({ method, path }: ListedRoute, body: string, key = account.key) => {
  const response = await gateway.call(pathOf({ path }, spareId), { method, key, body });
  const text = await response.text();
  return { status: response.status, code: response.ok ? undefined : faultCode(JSON.parse(text)) };
};
/** Large bodies that are refused count against their account, so on the routes that take them each has one of its own. */
const sendRefused = async (route: ListedRoute, body: string) =>
  send(route, body, route.maxBytes > SMALL_BYTES ? (await gateway.register()).key : account.key);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const grown = (route: ListedRoute, member: string) =>
  `${JSON.stringify(route.body ?? {}).slice(0, -1)}${route.body ? ',' : ''}"zzz":${member}}`;

describe('S14 names in a body', () => {
  const NAMES = [
    '__proto__',
    'constructor',
    'prototype',
    'hasOwnProperty',
    'toString',
    'valueOf',
    '__defineGetter__',
    '',
  ];
  test.each(reading)('S14 %s: are names like any other', async (_, route) => {
    const sendNamed = (name: string) => {
      const member = `"${name}":{"${name}":{"x":1,"model":"up-paid","manage":true}}`;
      return send(route, JSON.stringify(route.body).replace('{', `{${member},`));
    };
    // Some routes take no name that they do not know.
    const plain = await sendNamed('zzz');
    for (const name of NAMES) expect({ name, ...(await sendNamed(name)) }).toEqual({ name, ...plain });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(({} as Record<string, unknown>).manage).toBeUndefined();
  });

  test('S14 as the value of a field are values like any other', async () => {
    for (const name of NAMES) {
      const { status } = await send(
        { ...MODEL_ROUTES[0], path: '/v1/chat/completions' } as ListedRoute,
        `{"model":"${name}","messages":[]}`,
      );
      expect(name === '' ? 400 : 404).toBe(status);
    }
  });
});

describe('S15 a body too large', () => {
  test.each(withBody)('S15 %s: is refused by its declared length, unread', async (_, { method, path, maxBytes }) => {
    const head = `${method} ${pathOf({ path })} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\n`;
    const { status, json } = await rawCall(gateway.port, `${head}content-length: ${maxBytes + 1}\r\n\r\n`);
    expect(status).toBe(413);
    expect(faultCode(json)).toBe('request_too_large');
  });

  test.each(withBody)('S15 %s: also without a key, so that nobody is told which keys are good', async (_, route) => {
    const head = `${route.method} ${pathOf(route)} HTTP/1.1\r\nhost: x\r\n`;
    const { status } = await rawCall(gateway.port, `${head}content-length: ${route.maxBytes + 1}\r\n\r\n`);
    expect(status).toBe(413);
  });

  test.each(reading)('S15 %s: is refused in chunks as soon as it passes the cap', async (_, route) => {
    const piece = new Uint8Array(Math.min(route.maxBytes, 1024 * 1024)).fill(0x20);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += piece.byteLength;
        // Far more than the cap, if it were read to its end.
        if (sent > route.maxBytes * 3) return controller.close();
        controller.enqueue(piece);
      },
    });
    const response = await fetch(gateway.url + pathOf(route, spareId), {
      method: route.method,
      headers: { authorization: `Bearer ${account.key}` },
      body,
    });
    expect(response.status).toBe(413);
    await response.text();
  });

  test.each(reading)(
    'S15 %s: garbage of the size of the cap is refused as garbage, one byte more as too large',
    async (_, route) => {
      expect((await sendRefused(route, '{'.padEnd(route.jsonBytes))).code).toBe('invalid_request');
      expect((await sendRefused(route, '{'.padEnd(route.jsonBytes + 1))).code).toBe('request_too_large');
    },
  );
});

describe('S15 a body too deep or too full', () => {
  test.each(reading)('S15 %s', async (_, route) => {
    const plain = await send(route, grown(route, '1'));
    const tooFull = `[${'1,'.repeat(100_000)}1]`;
    const bad = [
      nested(64),
      `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`,
      ...(route.maxBytes > tooFull.length ? [tooFull, nested(100_000)] : []),
    ];
    for (const member of bad)
      expect(await sendRefused(route, grown(route, member))).toEqual({ status: 400, code: 'invalid_request' });
    expect(await send(route, grown(route, nested(63)))).toEqual(plain);
  });

  test('S15 the worst body that is taken is answered', async () => {
    const route = MODEL_ROUTES.find(({ path }) => path === '/v1/messages/count_tokens') as ListedRoute;
    const size = 4 * 1024 * 1024;
    const full = `[${Array.from({ length: 1_500 }, () => nested(60)).join()}]`;
    const worst = grown(route, full.padEnd(size, ' '));
    const { key } = await gateway.register();
    expect((await send(route, worst, key)).status).toBe(200);
  });

  test('S15 a translated body of very many turns is answered', async () => {
    const messages = Array.from({ length: 4_800 }, (_, index) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: 'x' }] },
    ]).flat();
    const body = JSON.stringify({ model: 'wide', max_tokens: 5, messages });
    // The bodies above that were refused count against `account` for a minute.
    const { key } = await gateway.register();
    expect((await gateway.call('/v1/messages', { key, body })).status).toBe(200);
  });
});

describe('S27 one body has one meaning', () => {
  test.each(MODEL_ROUTES.map((route) => [route.path, route] as const))('S27 %s: no field twice', async (_, route) => {
    const asked = gateway.upstream.requests.length;
    const text = JSON.stringify(route.body);
    for (const name of Object.keys(route.body ?? {})) {
      const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
      const value = JSON.stringify(route.body?.[name]);
      for (const twice of [
        text.replace('{', `{"${name}":${value},`),
        text.replace('{', `{"${escaped}":"auto:free",`),
        text.replace(/}$/, `,"${escaped}":null}`),
      ]) {
        expect(await send(route, twice)).toEqual({ status: 400, code: 'invalid_request' });
      }
    }
    expect(gateway.upstream.requests).toHaveLength(asked);
  });

  const heldFor = async (path: string, body: Record<string, unknown>) => {
    const { key, accountId } = await gateway.register();
    const gate = createGate();
    gateway.upstream.otherwise((request) => {
      const script = answerAny(request);
      return { ...script, body: [gate.opened, ...(script.body ?? [])] };
    });
    const running = gateway.call(path, { key, body });
    const first = await Promise.race([
      running.then((response) => response.status),
      eventually('the hold', () => {
        const [row] = gateway.sql<{ amount_nano: bigint }>(
          'SELECT amount_nano FROM holds WHERE account_id = ?',
          accountId,
        );
        return row?.amount_nano;
      }),
    ]);
    gate.open();
    await (await running).text();
    gateway.upstream.otherwise(answerAny);
    return first;
  };
  const chat = (fields: Record<string, unknown>) =>
    heldFor('/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], ...fields });
  /** Nano-NT$ per output token of `dear`. */
  const DEAR = 1_000_000n;

  test('S27 every choice is inside the hold', async () => {
    const one = await chat({ model: 'dear', max_tokens: 20 });
    const five = await chat({ model: 'dear', max_tokens: 20, n: 5 });
    if (typeof one !== 'bigint' || typeof five !== 'bigint') throw new Error('nothing was held');
    expect(five - one).toBe(4n * 20n * DEAR);
  });

  test('S27 a bound beyond the wallet is lowered to it, or refused', async () => {
    const held = await chat({ model: 'dear', max_tokens: 1_000_000_000 });
    expect(held).toBeLessThanOrEqual(1_000_000_000n);
    expect(gateway.upstream.requests.at(-1)?.json.max_tokens).toBeLessThanOrEqual(1_000);
    expect(await chat({ model: 'dear', max_tokens: 1_000, n: 128 })).toBe(402);
  });

  test('S27 every image is inside the hold', async () => {
    const held = await heldFor('/v1/images/generations', { model: 'paint', prompt: 'a cat', n: 7 });
    expect(held).toBe(7_000_000n);
  });

  test('S27 a number of choices that is none is refused', async () => {
    for (const n of [0, -1, 1.5, 129, 1e30, '5', [5], true, {}]) {
      const body = { model: 'up-paid', messages: [{ role: 'user', content: 'Hi' }], n };
      const { status } = await gateway.call('/v1/chat/completions', { key: account.key, body });
      expect({ n, status }).toEqual({ n, status: 400 });
    }
  });
});
