// A host that swallows packets: the call is given up when no connection comes about in time, and not before; a host that
// was heard of lately is not asked twice.

import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { connectTcp, limitConnect, Unreachable } from '../../src/channels/limit-connect.ts';
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

function createConnect(outcome: 'never' | 'made') {
  const asked: string[] = [];
  const connect = (host: string, port: number) => {
    asked.push(`${host}:${port}`);
    return outcome === 'made' ? Promise.resolve() : new Promise<void>(() => {});
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

  test('who calls may still end it', async () => {
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

describe('a bare connection', () => {
  const open = async (port: number) => {
    const probe = new AbortController();
    await connectTcp('127.0.0.1', port, probe.signal);
  };

  test('is made and closed again', async () => {
    const closed = createGate();
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('close', () => closed.open());
      socket.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    await open(typeof address === 'object' && address ? address.port : 0);
    await closed.opened;
    server.close();
  });

  test('that is refused says that somebody is there to refuse', async () => {
    await open(await freePort());
  });
});
