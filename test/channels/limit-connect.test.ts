// A host that swallows packets: the call is given up when no connection comes about in time, and not before; a host that
// was heard of lately is not asked twice.

import { afterEach, describe, expect, test } from 'bun:test';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { connectBare, limitConnect, type Place, Unreachable } from '../../src/channels/limit-connect.ts';
import { createGate } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createManualClock } from '../support/manual-clock.ts';

const URL_OF_NOBODY = 'http://nobody.test:1234/v1';

/** A fetch that answers when told to, or rejects when aborted. */
function createFetch() {
  const answers: PromiseWithResolvers<Response>[] = [];
  const fetch = (_url: string, { signal }: RequestInit) => {
    const answer = Promise.withResolvers<Response>();
    signal?.addEventListener('abort', () => answer.reject(signal.reason));
    answers.push(answer);
    return answer.promise;
  };
  return { fetch, answer: () => answers.at(-1)?.resolve(new Response('ok')) };
}

function createConnect(outcome: 'never' | 'made' | 'refused') {
  const asked: string[] = [];
  const connect = ({ host, port, isSecure }: Place) => {
    asked.push(`${isSecure ? 'tls ' : ''}${host}:${port}`);
    return outcome === 'never' ? new Promise<boolean>(() => {}) : Promise.resolve(outcome === 'made');
  };
  return { connect, asked };
}

describe('while nothing was heard of the upstream', () => {
  test('no connection in time ends the call', async () => {
    const clock = createManualClock();
    const { connect, asked } = createConnect('never');
    const call = limitConnect(createFetch().fetch, { clock, connect, connectMs: 2_000 })(URL_OF_NOBODY, {});
    const outcome = call.catch((error: unknown) => error);
    await clock.advance(1_999);
    expect(clock.pending()).toBe(1);
    await clock.advance(1);
    expect(await outcome).toBeInstanceOf(Unreachable);
    expect(asked).toEqual(['nobody.test:1234']);
  });

  test('a connection leaves the answer all the time it takes', async () => {
    const clock = createManualClock();
    const upstream = createFetch();
    const { connect } = createConnect('made');
    const call = limitConnect(upstream.fetch, { clock, connect, connectMs: 2_000 })(URL_OF_NOBODY, {});
    await clock.advance(60_000);
    upstream.answer();
    expect(await (await call).text()).toBe('ok');
    expect(clock.pending()).toBe(0);
  });

  test('the caller can still abort it', async () => {
    const clock = createManualClock();
    const leaving = new AbortController();
    const { connect } = createConnect('never');
    const limited = limitConnect(createFetch().fetch, { clock, connect, connectMs: 2_000 });
    const call = limited(URL_OF_NOBODY, { signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    expect(clock.pending()).toBe(0);
  });
});

test('an upstream that answered within 30 s is trusted to be there', async () => {
  const clock = createManualClock();
  const upstream = createFetch();
  const { connect, asked } = createConnect('made');
  const limited = limitConnect(upstream.fetch, { clock, connect, connectMs: 2_000 });
  for (const [wait, probes] of [
    [0, 1],
    [29_000, 1],
    [31_000, 2],
  ] as const) {
    await clock.advance(wait);
    const call = limited(URL_OF_NOBODY, {});
    upstream.answer();
    await call;
    expect(asked).toHaveLength(probes);
  }
});

test('one host of a channel says nothing about another', async () => {
  const clock = createManualClock();
  const { connect, asked } = createConnect('made');
  const limited = limitConnect(async () => new Response('ok'), { clock, connect, connectMs: 2_000 });
  for (const url of [
    'https://tokens.test/oauth',
    'https://api.test:8443/a',
    'https://api.test:8443/b?c=/d',
    'https://api.test',
  ]) {
    await limited(url, {});
  }
  expect(asked).toEqual(['tls tokens.test:443', 'tls api.test:8443', 'tls api.test:443']);
});

test('one bare connection is enough for many calls whose answers take long', async () => {
  const clock = createManualClock();
  const upstream = createFetch();
  const { connect, asked } = createConnect('made');
  const limited = limitConnect(upstream.fetch, { clock, connect, connectMs: 2_000 });
  for (let calls = 0; calls < 5; calls++) {
    void limited(URL_OF_NOBODY, {});
    await clock.advance(5_000);
  }
  expect(asked).toHaveLength(1);
});

test('one that refuses is looked for again: it may swallow packets next', async () => {
  const clock = createManualClock();
  const { connect, asked } = createConnect('refused');
  const limited = limitConnect(async () => Promise.reject(new Error('refused')), { clock, connect, connectMs: 2_000 });
  for (let calls = 0; calls < 3; calls++) await limited(URL_OF_NOBODY, {}).catch(() => {});
  expect(asked).toHaveLength(3);
});

test.each([
  ['http://nobody.test/v1', 'nobody.test:80'],
  ['https://nobody.test/v1', 'tls nobody.test:443'],
  ['https://[::1]:8443/v1', 'tls ::1:8443'],
])('%s is looked for at %s', async (url, place) => {
  const upstream = createFetch();
  const { connect, asked } = createConnect('made');
  const call = limitConnect(upstream.fetch, { clock: createManualClock(), connect, connectMs: 2_000 })(url, {});
  upstream.answer();
  await call;
  expect(asked).toEqual([place]);
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** On connections whose every error is expected. */
const quietly = (serve: (socket: Socket) => void) => (socket: Socket) => {
  socket.on('error', () => {});
  serve(socket);
};

async function listenSecurely(serve: (socket: Socket) => void): Promise<number> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'nobody.test' }], { keyType: 'ec' });
  const server = createTlsServer({ cert, key }, quietly(serve));
  // Closed with the last word of the handshake, it is never told as a connection.
  server.on('tlsClientError', (_error, socket) => serve(socket));
  return listen(server);
}

const listenPlainly = (serve: (socket: Socket) => void) => listen(createServer(quietly(serve)));

describe.each([false, true])('a bare connection, with TLS: %p', (isSecure) => {
  const open = (port: number, signal = new AbortController().signal) =>
    connectBare({ host: '127.0.0.1', port, isSecure }, signal);

  test('is made and closed again', async () => {
    const closed = createGate();
    const port = await (isSecure ? listenSecurely : listenPlainly)((socket) => {
      socket.on('close', () => closed.open());
      if (socket.destroyed) closed.open();
      socket.resume();
    });
    expect(await open(port)).toBe(true);
    await closed.opened;
  });

  test('that is refused says that somebody is there to refuse', async () => {
    expect(await open(await freePort())).toBe(false);
  });

  test('is aborted by its caller', async () => {
    const leaving = new AbortController();
    const opened = open(await freePort(), leaving.signal);
    leaving.abort();
    expect(await opened).toBe(false);
  });
});

describe('where TLS is spoken', () => {
  test.each([
    ['that hangs up', (socket: Socket) => socket.end()],
    ['that speaks something else', (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('somebody is there %s', async (_what, answer) => {
    const port = await listenPlainly((socket) => socket.on('data', () => answer(socket)));
    const made = connectBare({ host: '127.0.0.1', port, isSecure: true }, new AbortController().signal);
    expect(await made).toBe(false);
  });

  test('a host that takes the connection and says nothing ends the call in time', async () => {
    const clock = createManualClock();
    const hello = createGate();
    const port = await listenPlainly((socket) => socket.on('data', () => hello.open()));
    const limited = limitConnect(createFetch().fetch, { clock, connect: connectBare, connectMs: 2_000 });
    const outcome = limited(`https://127.0.0.1:${port}/v1`, {}).catch((error: unknown) => error);
    await hello.opened;
    await clock.advance(1_999);
    expect(clock.pending()).toBe(1);
    await clock.advance(1);
    expect(await outcome).toBeInstanceOf(Unreachable);
  });
});
