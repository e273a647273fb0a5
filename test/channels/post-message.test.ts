// A POST to an address that a customer chose: to a checked address only, over a real TLS server on loopback that plays the
// public internet.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer as createPlainServer, type Server as PlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { createGuardedPost, PostRefused, type PostRules } from '../../src/channels/post-message.ts';
import { isPublicAddress, publicHosts } from '../../src/channels/public-host.ts';
import { parseAddress } from '../../src/kit/address.ts';
import { eventually } from '../support/eventually.ts';
import { answerRaw, INTERIM, SWITCHED } from '../support/raw-answers.ts';

interface Seen {
  host: string | undefined;
  servername: string | false | null | undefined;
  body: string;
  headers: NodeJS.Dict<string | string[]>;
}

let server: Server;
let plain: PlainServer;
let authorities: string;
let key: string;
let port: number;
let plainPort: number;
let seen: Seen[] = [];
let open = 0;
beforeAll(async () => {
  const altNames = [{ type: 2 as const, value: 'hooks.test' }];
  const pair = await generate([{ name: 'commonName', value: 'hooks.test' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  authorities = pair.cert;
  key = pair.private;
  server = createServer({ cert: pair.cert, key: pair.private }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { servername } = request.socket as { servername?: string | false | null };
      seen.push({ host: request.headers.host, servername, body, headers: request.headers });
      if (request.url === '/moved') response.writeHead(307, { location: `https://hooks.test:${port}/` }).end();
      else if (request.url === '/endless') {
        open++;
        const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
        response.on('close', () => {
          clearInterval(timer);
          open--;
        });
        response.writeHead(200);
      } else response.writeHead(204).end();
    });
  });
  plain = createPlainServer((_request, response) => response.writeHead(202).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  plainPort = (plain.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  plain.closeAllConnections();
  plain.close();
});

const live = () => new AbortController().signal;
const loopback = parseAddress('127.0.0.1');

/** Loopback stands for the public internet; everything else is as it is. */
function postFrom(addresses: readonly string[], rules: Partial<PostRules> = {}) {
  seen = [];
  return createGuardedPost({
    resolve: async () => [...addresses],
    isAllowed: (address) => isPublicAddress(address) || address.bits === loopback?.bits,
    allowsHttp: false,
    authorities,
    ...rules,
  });
}

const message = (path = '/', host = 'hooks.test') => ({
  url: `https://${host}:${port}${path}`,
  headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
  body: '{"text":"餘額"}',
});

test('connects to the checked address, with the name of the host in TLS and in the header', async () => {
  expect(await postFrom(['127.0.0.1'])(message(), live())).toBe(204);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ host: `hooks.test:${port}`, servername: 'hooks.test', body: '{"text":"餘額"}' });
  expect(seen[0]?.headers).toMatchObject({ 'webhook-id': 'evt_1', 'content-length': '17' });
});

test('one lookup decides: a name that changes its address in between is not asked again', async () => {
  let lookups = 0;
  const resolve = async () => (lookups++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
  expect(await postFrom([], { resolve })(message(), live())).toBe(204);
  expect(lookups).toBe(1);
});

test('a redirect is a response like any other', async () => {
  expect(await postFrom(['127.0.0.1'])(message('/moved'), live())).toBe(307);
  expect(seen).toHaveLength(1);
});

test('of a response only the status is read', async () => {
  expect(await postFrom(['127.0.0.1'])(message('/endless'), live())).toBe(200);
  await eventually('the connection is closed', () => open === 0);
});

describe('it ends without an answer', () => {
  test.each([
    ['from a server that switches to another protocol', SWITCHED],
    ['from a server that only sends interim responses', INTERIM.repeat(100)],
  ])('%s', async (_, answer) => {
    const raw = await answerRaw({ cert: authorities, key }, answer);
    const sent = postFrom(['127.0.0.1'])({ ...message(), url: `https://hooks.test:${raw.port}/` }, live());
    await expect(sent).rejects.toThrow();
    raw.stop();
  });
});

describe('nothing is sent', () => {
  test.each([
    ['to a private address', ['10.0.0.1']],
    ['to one private address among public ones', ['127.0.0.1', '192.168.0.1']],
    ['to a mapped private address', ['::ffff:10.0.0.1']],
    ['to a metadata address', ['169.254.169.254']],
    ['to a host without an address', []],
  ])('%s', async (_, addresses) => {
    await expect(postFrom(addresses)(message(), live())).rejects.toBeInstanceOf(PostRefused);
    expect(seen).toHaveLength(0);
  });

  test('to loopback, by name or by address, under the real rules', async () => {
    const post = createGuardedPost({ ...publicHosts, allowsHttp: false, authorities });
    seen = [];
    for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      await expect(post(message('/', host), live())).rejects.toBeInstanceOf(PostRefused);
    }
    expect(seen).toHaveLength(0);
  });

  test('to a server whose certificate is for another name', async () => {
    await expect(postFrom(['127.0.0.1'])(message('/', 'other.test'), live())).rejects.toThrow();
    expect(seen).toHaveLength(0);
  });

  test('without TLS, unless that is allowed', async () => {
    const insecure = { ...message(), url: `http://hooks.test:${plainPort}/` };
    await expect(postFrom(['127.0.0.1'])(insecure, live())).rejects.toBeInstanceOf(PostRefused);
    expect(await postFrom(['127.0.0.1'], { allowsHttp: true })(insecure, live())).toBe(202);
  });
});

test('a signal ends it', async () => {
  const ending = new AbortController();
  const sent = postFrom([], { resolve: () => new Promise(() => {}) })(message(), ending.signal);
  ending.abort();
  await expect(sent).rejects.toThrow();
});
