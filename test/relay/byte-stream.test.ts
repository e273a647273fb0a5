// The client's end of a stream over a real socket, with a clock of the test's: what becomes of it when its sender fails.

import { afterEach, expect, test } from 'bun:test';
import { NO_CONNECTION } from '../../src/kit/connection.ts';
import { type ByteStreamOptions, type Send, toByteStream } from '../../src/relay/byte-stream.ts';
import { createDrainDeadline } from '../../src/relay/drain-deadline.ts';
import { createGate } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';

const TWO_QUIET_TIMES_MS = 20_000;
const STALLED_MS = 60_000;
/** No socket takes it in one go. */
const MORE_THAN_FITS = ' '.repeat(32 * 1024 * 1024);

let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(() => server?.stop(true));

/** The body as far as it came, and whether it ended as a whole body does. The sender can wait until some of it was heard. */
async function read(
  produce: (send: Send, heard: Promise<void>) => Promise<void>,
  options: Partial<ByteStreamOptions> = {},
): Promise<{ text: string; isWhole: boolean }> {
  const { signal } = new AbortController();
  const heard = createGate();
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: (request) =>
      new Response(
        toByteStream((send) => produce(send, heard.opened), {
          clock: createManualClock(),
          connection: NO_CONNECTION,
          gone: request.signal,
          drainDeadline: createDrainDeadline(signal),
          keepAlive: () => ': still here\n\n',
          onGone: () => {},
          ...options,
        }),
      ),
  });
  const response = await fetch(server.url);
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      heard.open();
    }
    return { text, isWhole: true };
  } catch {
    return { text, isWhole: false };
  }
}

test('what is sent arrives, and the stream ends with its sender', async () => {
  expect(await read(async (send) => send('data: a\n\n'))).toEqual({ text: 'data: a\n\n', isWhole: true });
});

test('while its sender thinks, it is kept alive', async () => {
  const clock = createManualClock();
  const { text } = await read(
    async (send) => {
      await send('data: a\n\n');
      await clock.advance(TWO_QUIET_TIMES_MS);
      await send('data: b\n\n');
    },
    { clock },
  );
  expect(text).toBe('data: a\n\n: still here\n\n: still here\n\ndata: b\n\n');
});

test('a client that did not take more for a moment, and reads on, has its stream to the end', async () => {
  const clock = createManualClock();
  let left = 0;
  const { text, isWhole } = await read(
    async (send) => {
      const taken = send(MORE_THAN_FITS);
      expect(taken).toBeDefined();
      await taken;
      await clock.advance(2 * STALLED_MS);
      await send('data: b\n\n');
    },
    { clock, onGone: () => left++ },
  );
  expect({ isWhole, left, end: text.slice(-9) }).toEqual({ isWhole: true, left: 0, end: 'data: b\n\n' });
});

test('a keep-alive that cannot be sent breaks its stream off, and harms nothing else', async () => {
  const clock = createManualClock();
  let tries = 0;
  let left = 0;
  const answer = await read(
    async (send, heard) => {
      await send('data: a\n\n');
      await heard;
      await clock.advance(2 * TWO_QUIET_TIMES_MS);
      await send('data: b\n\n');
    },
    {
      clock,
      keepAlive() {
        tries++;
        throw new Error('the socket is closed');
      },
      onGone: () => left++,
    },
  );
  expect(answer).toEqual({ text: 'data: a\n\n', isWhole: false });
  expect({ tries, left }).toEqual({ tries: 1, left: 1 });
});

test('a sender that fails breaks it off, and nothing is sent to it any more', async () => {
  const clock = createManualClock();
  let tries = 0;
  const answer = await read(
    async (send, heard) => {
      await send('data: a\n\n');
      await heard;
      throw new Error('could not be closed');
    },
    {
      clock,
      keepAlive() {
        tries++;
        return ': still here\n\n';
      },
    },
  );
  expect(answer).toEqual({ text: 'data: a\n\n', isWhole: false });
  // A keep-alive that came now would throw where nobody catches it.
  await clock.advance(TWO_QUIET_TIMES_MS);
  expect(tries).toBe(0);
});
