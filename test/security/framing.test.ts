// S12: framing that two servers could read in two ways is refused or cut off, and a second request hidden in a body is
// never answered. S14: headers have a limit, and their names are only names.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { rawGet, sendRaw } from './raw-bytes.ts';
import { startSecure } from './start-secure.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startSecure();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** What must never be answered: it would be somebody else's request behind a proxy. */
const HIDDEN = 'GET /api/public/catalog HTTP/1.1\r\nhost: hidden\r\n\r\n';
const SMUGGLED = '"object":"list"';

const post = (head: string, body: string, path = '/api/redeem') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\n${head}\r\n\r\n${body}`;
const CHUNKED = 'transfer-encoding: chunked';

describe('S12 conflicting framing', () => {
  const lengths: [what: string, head: string, body: string][] = [
    ['a length and chunks', `content-length: 4\r\n${CHUNKED}`, `0\r\n\r\n${HIDDEN}`],
    ['chunks and a length', `${CHUNKED}\r\ncontent-length: 4`, `0\r\n\r\n${HIDDEN}`],
    ['two lengths', 'content-length: 2\r\ncontent-length: 90', `{}${HIDDEN}`],
    ['two lengths, the larger one first', 'content-length: 90\r\ncontent-length: 2', `{}${HIDDEN}`],
    ['a list of lengths', 'content-length: 2, 90', `{}${HIDDEN}`],
    ['a length with a sign', 'content-length: +2', `{}${HIDDEN}`],
    ['a length below zero', 'content-length: -2', `{}${HIDDEN}`],
    ['a length in hex', 'content-length: 0x2', `{}${HIDDEN}`],
    ['two figures for a length', 'content-length: 2 3', `{}${HIDDEN}`],
    ['an empty length', 'content-length: ', HIDDEN],
    ['a length beyond all numbers', 'content-length: 18446744073709551618', `{}${HIDDEN}`],
    ['a space before the colon of a length', 'content-length : 2', `{}${HIDDEN}`],
    ['a space before the colon of an encoding', 'transfer-encoding : chunked', `0\r\n\r\n${HIDDEN}`],
    ['an encoding that is none', 'transfer-encoding: xchunked', `0\r\n\r\n${HIDDEN}`],
    ['an encoding that is not chunked', 'transfer-encoding: identity', `0\r\n\r\n${HIDDEN}`],
    ['chunked, but not last', 'transfer-encoding: chunked, identity', `0\r\n\r\n${HIDDEN}`],
    ['chunked after another one', 'transfer-encoding: gzip, chunked', `0\r\n\r\n${HIDDEN}`],
    ['chunked twice', `${CHUNKED}\r\n${CHUNKED}`, `0\r\n\r\n${HIDDEN}`],
    ['chunked after a control character', 'transfer-encoding: \x0bchunked', `0\r\n\r\n${HIDDEN}`],
    ['a folded encoding', 'transfer-encoding:\r\n chunked', `0\r\n\r\n${HIDDEN}`],
    ['a folded header', 'x: a\r\n b\r\ncontent-length: 2', `{}${HIDDEN}`],
    ['a bare line feed before a length', 'x: a\ncontent-length: 50', HIDDEN],
    ['a bare line feed at the end of the head', 'content-length: 2\n', `{}${HIDDEN}`],
    ['a bare carriage return', 'x: a\rcontent-length: 50', HIDDEN],
    ['NUL in a value', 'x: a\0b\r\ncontent-length: 2', `{}${HIDDEN}`],
    ['NUL in a name', 'x\0y: a\r\ncontent-length: 2', `{}${HIDDEN}`],
    ['a space in a name', 'x y: a\r\ncontent-length: 2', `{}${HIDDEN}`],
    ['a line without a colon', 'nothing\r\ncontent-length: 2', `{}${HIDDEN}`],
    ['a chunk size that is no number', CHUNKED, `zz\r\n{}\r\n0\r\n\r\n${HIDDEN}`],
    ['a chunk size below zero', CHUNKED, `-2\r\n{}\r\n0\r\n\r\n${HIDDEN}`],
    ['a chunk size with a prefix', CHUNKED, `0x2\r\n{}\r\n0\r\n\r\n${HIDDEN}`],
    ['a chunk size beyond all numbers', CHUNKED, `fffffffffffffffff2\r\n{}\r\n0\r\n\r\n${HIDDEN}`],
    ['a chunk without a size', CHUNKED, `\r\n\r\n${HIDDEN}`],
    ['a chunk longer than its size', CHUNKED, `2\r\n{}XX0\r\n\r\n${HIDDEN}`],
    ['chunks that end in line feeds', CHUNKED, `2\n{}\n0\n\n${HIDDEN}`],
    ['an extension that ends in a line feed', CHUNKED, `2;a=b\n{}\r\n0\r\n\r\n${HIDDEN}`],
  ];
  test.each(lengths)('S12 %s', async (_, head, body) => {
    const { statuses, text, isClosed } = await sendRaw(gateway.port, post(head, body));
    expect(isClosed).toBe(true);
    expect(text).not.toContain(SMUGGLED);
    expect([[], [400]]).toContainEqual(statuses);
  });

  const wholes: [what: string, request: string][] = [
    ['only line feeds', HIDDEN.replaceAll('\r', '')],
    ['NUL in the path', HIDDEN.replace('catalog', 'catalog\0')],
    ['a control character in the path', HIDDEN.replace('catalog', 'catalog\x01')],
    ['no version', 'GET /api/public/catalog\r\n\r\n'],
    ['another version', HIDDEN.replace('HTTP/1.1', 'HTTP/2.0')],
    ['a space more', HIDDEN.replace('GET ', 'GET  ')],
    ['a method that is none', HIDDEN.replace('GET', 'G(T')],
    ['chunks in HTTP/1.0', `POST /none HTTP/1.0\r\nhost: x\r\n${CHUNKED}\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a space before the first header', HIDDEN.replace('host', ' host')],
  ];
  test.each(wholes)('S12 %s', async (_, request) => {
    const { statuses, text, isClosed } = await sendRaw(gateway.port, Buffer.from(request, 'latin1'));
    expect(text).not.toContain(SMUGGLED);
    expect([[], [400], [505]]).toContainEqual(statuses);
    if (statuses.length > 0) expect(isClosed).toBe(true);
  });
});

describe('S12 a body that nobody reads', () => {
  const length = `content-length: ${HIDDEN.length}`;
  test.each([
    ['of a refused key', () => post(length, HIDDEN).replace(account.key, 'sk-svc-bad'), 401],
    ['of an unknown route', () => post(length, HIDDEN, '/none'), 404],
    ['of a route without a body', () => post(length, HIDDEN).replace('POST /api/redeem', 'GET /healthz'), 200],
    ['of a wrong method', () => post(length, HIDDEN, '/healthz'), 405],
    ['of a route that parses it', () => post(length, HIDDEN), 400],
    ['that is too large', () => post('content-length: 5000', HIDDEN + ' '.repeat(5_000 - HIDDEN.length)), 413],
    ['in chunks', () => post(CHUNKED, `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`, '/none'), 404],
  ] as [string, () => string, number][])('S12 %s is no second request', async (_, request, status) => {
    const { statuses, text } = await sendRaw(gateway.port, request(), 1);
    expect(statuses).toEqual([status]);
    expect(text).not.toContain(SMUGGLED);
  });

  test('S12 honest requests one after the other on a connection are answered in order', async () => {
    const { statuses, text } = await sendRaw(gateway.port, HIDDEN + post('content-length: 2', '{}') + HIDDEN, 3);
    expect(statuses).toEqual([200, 400, 200]);
    expect(text.split(SMUGGLED)).toHaveLength(3);
  });
});

describe('S12 two Host headers', () => {
  test.each([
    ['two', 'host: x\r\nhost: y\r\n'],
    ['two alike', 'host: x\r\nHost: x\r\n'],
    ['the first one empty', 'host: \r\nhost: y\r\n'],
    ['a list', 'host: x,y\r\n'],
  ])('S12 %s are refused on every path', async (_, headers) => {
    const auth = `authorization: Bearer ${account.key}\r\n`;
    for (const path of ['/api/me', '/healthz', '/none', '/', '/api/receipts/req_1']) {
      const { statuses, text } = await sendRaw(gateway.port, rawGet(path, headers + auth));
      expect(statuses).toEqual([400]);
      expect(text).toContain('"code":"invalid_request"');
      expect(text).toContain('more than one Host');
    }
  });
});

describe('S14 headers', () => {
  test.each([
    ['one of 100 KB', `x: ${'a'.repeat(100_000)}\r\n`],
    ['a key of 100 KB', `authorization: Bearer ${'a'.repeat(100_000)}\r\n`],
    ['five thousand', Array.from({ length: 5_000 }, (_, n) => `x-${n}: a\r\n`).join('')],
    ['one name five thousand times', 'x: a\r\n'.repeat(5_000)],
    ['a name of 100 KB', `${'x'.repeat(100_000)}: a\r\n`],
  ])('S14 %s are refused', async (_, headers) => {
    const { statuses, isClosed } = await sendRaw(gateway.port, rawGet('/healthz', `host: x\r\n${headers}`));
    expect([[], [400], [431]]).toContainEqual(statuses);
    expect(isClosed).toBe(true);
  });

  test('S14 a path of 100 KB is refused', async () => {
    const { statuses } = await sendRaw(gateway.port, rawGet(`/${'a'.repeat(100_000)}`));
    expect([[], [400], [414], [431]]).toContainEqual(statuses);
  });

  const NAMES = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', '__defineGetter__'];
  test.each(NAMES)('S14 %s is a name like any other', async (name) => {
    const auth = `authorization: Bearer ${account.key}\r\n`;
    for (const headers of [`${name}: x\r\n`, `${name}: x\r\n`.repeat(50), `${name}: {"key":"x"}\r\n`]) {
      const { statuses, text } = await sendRaw(gateway.port, rawGet('/api/me', `host: x\r\n${auth}${headers}`));
      expect(statuses).toEqual([200]);
      expect(text).toContain(account.accountId);
    }
    const { statuses } = await sendRaw(gateway.port, rawGet(`/v1/models/${name}`, `host: x\r\n${auth}`));
    expect(statuses).toEqual([404]);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});
