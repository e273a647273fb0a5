// S11: the one fetch of something that a client names. A real TLS server on loopback plays the public internet.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { createFetchMedia, type FetchMedia, publicMedia } from '../../src/channels/fetch-media.ts';
import { isPublicAddress } from '../../src/channels/public-host.ts';
import { Fault } from '../../src/faults/fault.ts';
import { parseAddress } from '../../src/kit/address.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { eventually } from '../support/eventually.ts';
import { answerRaw, INTERIM, SWITCHED } from '../support/raw-answers.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let server: Server;
let cert: string;
let key: string;
let base: string;
let looked: string[] = [];
let hits = 0;
/** Answers that are open and go on no further. */
let silent = 0;
beforeAll(async () => {
  const altNames = [{ type: 2 as const, value: 'media.test' }];
  const pair = await generate([{ name: 'commonName', value: 'media.test' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  cert = pair.cert;
  key = pair.private;
  server = createServer({ cert, key: pair.private }, (request, response) => {
    hits++;
    if (request.url === '/cat.png') response.writeHead(200, { 'content-type': 'image/png; charset=x' }).end(PNG);
    else if (request.url === '/moved') response.writeHead(302, { location: `${base}/cat.png` }).end();
    else if (request.url === '/large') response.writeHead(200).end(Buffer.alloc(5_000));
    else if (request.url?.startsWith('/half')) response.writeHead(200).end(Buffer.alloc(500));
    else if (request.url === '/broken') {
      response.writeHead(200, { 'content-length': '500' });
      response.write(Buffer.alloc(100), () => response.socket?.destroy());
    } else if (request.url === '/silent') {
      silent++;
      response.on('close', () => silent--);
      response.writeHead(200).write('x');
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `https://media.test:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Longer than any machine takes, and than a test waits. */
const PATIENT_MS = 60_000;

/** Loopback stands for the public internet; everything else is as it is. */
function createLabFetch(addresses: string[] = ['127.0.0.1'], timeoutMs = PATIENT_MS): FetchMedia {
  looked = [];
  return createFetchMedia(systemClock, {
    ...publicMedia,
    resolve: async (host) => {
      looked.push(host);
      return addresses;
    },
    isAllowed: (address) => isPublicAddress(address) || address.bits === parseAddress('127.0.0.1')?.bits,
    authorities: cert,
    maxBytes: 1_000,
    timeoutMs,
  });
}

const AT = 'messages[0].content[1]';
const live = () => new AbortController().signal;
const anyRoom = () => {};

async function refusalOf(fetchMedia: FetchMedia, url: string): Promise<string> {
  const error = await fetchMedia([{ url, at: AT }], live(), anyRoom).catch((thrown: unknown) => thrown);
  if (!(error instanceof Fault)) throw new Error(`no fault: ${String(error)}`);
  expect(error).toMatchObject({ code: 'invalid_request', details: { param: AT } });
  expect(error.publicText).toStartWith(`${AT} could not be downloaded: `);
  expect(error.publicText).not.toContain(base);
  return error.publicText;
}

test('S11 a picture at a public https address is fetched, looked up once', async () => {
  const url = `${base}/cat.png`;
  const media = await createLabFetch()([{ url, at: AT }], live(), anyRoom);
  expect(media.get(url)).toEqual({ mediaType: 'image/png', data: PNG.toString('base64') });
  expect(looked).toEqual(['media.test']);
});

test('what is named twice is fetched once', async () => {
  const before = hits;
  const url = `${base}/cat.png`;
  const twice = [0, 1].map((index) => ({ url, at: `messages[0].content[${index}]` }));
  expect((await createLabFetch()(twice, live(), anyRoom)).size).toBe(1);
  expect(hits).toBe(before + 1);
});

describe('S11 what is refused', () => {
  test.each([
    ['a server that switches to another protocol', SWITCHED],
    ['a server that only sends interim responses', INTERIM.repeat(100)],
  ])('%s', async (_, answer) => {
    const raw = await answerRaw({ cert, key }, answer);
    expect(await refusalOf(createLabFetch(), `https://media.test:${raw.port}/`)).toContain('could not be fetched');
    raw.stop();
  });

  test.each([
    ['http', 'http://media.test/cat.png', 'only https'],
    ['a file', 'file:///etc/passwd', 'only https'],
    ['no address at all', 'cat.png', 'only https'],
    ['a user name', 'https://user:word@media.test/cat.png', 'user name'],
    ['a private address', 'https://192.168.1.1/cat.png', 'not on the public internet'],
    ['the same as one number', 'https://3232235777/cat.png', 'not on the public internet'],
    ['loopback by its v6 name', 'https://[::1]/cat.png', 'not on the public internet'],
    ['a mapped private address', 'https://[::ffff:10.0.0.1]/cat.png', 'not on the public internet'],
    ['the address of a cloud’s metadata', 'https://169.254.169.254/latest/meta-data', 'not on the public internet'],
  ])('%s', async (_, url, why) => {
    const before = hits;
    expect(await refusalOf(createLabFetch(), url)).toContain(why);
    expect(hits).toBe(before);
  });

  test('a name with one bad address among its good ones, and a name without any', async () => {
    const before = hits;
    expect(await refusalOf(createLabFetch(['127.0.0.1', '10.0.0.1']), `${base}/cat.png`)).toContain('public internet');
    expect(await refusalOf(createLabFetch([]), `${base}/cat.png`)).toContain('public internet');
    expect(hits).toBe(before);
  });

  test('a private name and a name that does not exist are refused in the same words', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const unknown = createFetchMedia(systemClock, { ...publicMedia, resolve: () => Promise.reject(missing) });
    const url = 'https://internal.test/cat.png';
    expect(await refusalOf(createLabFetch(['10.0.0.1']), url)).toBe(await refusalOf(unknown, url));
  });

  test('a host name without an answer takes as long as a server without one', async () => {
    const fetchMedia = createFetchMedia(systemClock, {
      ...publicMedia,
      resolve: () => new Promise(() => {}),
      timeoutMs: 50,
    });
    expect(await refusalOf(fetchMedia, `${base}/cat.png`)).toContain('could not be fetched');
  });

  test('a redirect, an error, too many bytes, a server that breaks off, a server that falls silent', async () => {
    const fetchMedia = createLabFetch();
    expect(await refusalOf(fetchMedia, `${base}/moved`)).toContain('refused it');
    expect(await refusalOf(fetchMedia, `${base}/nothing`)).toContain('refused it');
    expect(await refusalOf(fetchMedia, `${base}/large`)).toContain('at most 1000 bytes');
    expect(await refusalOf(fetchMedia, `${base}/broken`)).toContain('its server closed the connection');
    const impatient = createLabFetch(['127.0.0.1'], 300);
    expect(await refusalOf(impatient, `${base}/silent`)).toContain('could not be fetched');
  });

  test('a server with an untrusted certificate', async () => {
    const fetchMedia = createFetchMedia(systemClock, {
      ...publicMedia,
      resolve: async () => ['127.0.0.1'],
      isAllowed: () => true,
    });
    const before = hits;
    expect(await refusalOf(fetchMedia, `${base}/cat.png`)).toContain('could not be fetched');
    expect(hits).toBe(before);
  });

  test('more than twenty', async () => {
    const many = Array.from({ length: 21 }, () => ({ url: `${base}/cat.png`, at: AT }));
    await expect(createLabFetch()(many, live(), anyRoom)).rejects.toBeInstanceOf(Fault);
  });

  test('many that are too much together', async () => {
    const some = Array.from({ length: 5 }, (_, index) => ({ url: `${base}/half?${index}`, at: AT }));
    const error = await createLabFetch()(some, live(), anyRoom).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_request', details: { param: AT } });
    expect((await createLabFetch()(some.slice(0, 2), live(), anyRoom)).size).toBe(2);
  });
});

test('one that is refused ends the others', async () => {
  const named = ['/silent', '/nothing'].map((path) => ({ url: base + path, at: AT }));
  await createLabFetch()(named, live(), anyRoom).catch(() => undefined);
  await eventually('no fetch left', () => silent === 0);
});

test('a client that leaves ends the fetch', async () => {
  const leaving = new AbortController();
  const fetched = createLabFetch()([{ url: `${base}/silent`, at: AT }], leaving.signal, anyRoom);
  leaving.abort();
  expect(await fetched.catch((error: unknown) => error)).not.toBeInstanceOf(Fault);
});

describe('S11 the public internet', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])('%s', (text) => {
    expect(isPublicAddress(parseAddress(text) ?? { bits: 0n, family: 4 })).toBe(true);
  });

  test.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
    ...['168.63.129.16', '161.26.0.10', '166.9.1.1', '192.80.8.124', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
    ...['172.31.255.255', '192.168.0.1', '192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.9'],
    ...[
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
    ],
    ...[
      '64:ff9b:1::1',
      '100::1',
      'fc00::1',
      'fd12::1',
      'fe80::1',
      'ff02::1',
      '2001:db8::1',
      '2002:a00:1::1',
      '2001::1',
    ],
  ])('not %s', (text) => {
    const address = parseAddress(text);
    expect(address && isPublicAddress(address)).toBe(false);
  });
});
