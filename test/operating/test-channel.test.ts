// A test of a channel believes an upstream nothing: neither that its answer ends, nor that a 200 is one.

import { expect, test } from 'bun:test';
import { testChannel } from '../../src/operating/test-channel.ts';
import type { OperatingTools } from '../../src/operating/tools.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { testDocument } from '../support/test-document.ts';

function ask(response: Response) {
  const document = JSON.stringify(testDocument('http://127.0.0.1:9'));
  const tools = {
    clock: createManualClock(),
    findUpstream: () => ({ hidden: [], send: async () => response }),
    store: {
      read: { newestRevision: async () => ({ revision: 1, createdAt: 0, document }) },
      commit: async () => undefined,
    },
  } as unknown as OperatingTools;
  return testChannel(tools, 'up', { actor: 'token' });
}

test('an answer without an end is left', async () => {
  let pieces = 0;
  const endless = new ReadableStream({
    async pull(controller) {
      // Stands for "for ever", so that the test ends where the answer is read whole.
      if (++pieces > 100) controller.close();
      else controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
  });
  expect(await ask(new Response(endless))).toMatchObject({ ok: false, detail: 'its answer is too large for a test' });
  expect(pieces).toBeLessThan(10);
});

test.each([
  ['a page', '<!doctype html><p>Sign in'],
  ['an error', '{"error":{"message":"no such model"}}'],
  ['nothing', ''],
])('a 200 with %s is no answer', async (_, body) => {
  expect(await ask(new Response(body))).toMatchObject({ ok: false });
});

test('a 200 with an object is one', async () => {
  expect(await ask(new Response('{"choices":[]}'))).toMatchObject({ ok: true, detail: 'ok' });
});
