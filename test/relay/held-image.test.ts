// A streamed image that waits for the next one is a word of its upstream, though no client sees it yet: the limit of the
// first word has been kept. That of idleness goes on.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { sseScript } from '../support/openai-chat.ts';
import type { Part } from '../support/script.ts';
import { readSse } from '../support/sse.ts';
import { upModel } from '../support/test-document.ts';

/** A length that no other timer of the gateway has: timers are told apart by it. */
const FIRST_TOKEN_MS = 2_345;
const IDLE_MS = 5_000;
const IMAGE = { type: 'image_generation.completed', b64_json: 'QUJD' };
const COMPLETED = `event: ${IMAGE.type}\ndata: ${JSON.stringify(IMAGE)}\n\n`;
const DONE = 'data: [DONE]\n\n';

/** The limits of first words that are over because of a word. */
let kept = 0;
const manual = createManualClock();
const clock: typeof manual = {
  ...manual,
  after(ms, task) {
    const cancel = manual.after(ms, task);
    if (ms !== FIRST_TOKEN_MS) return cancel;
    return () => {
      kept++;
      cancel();
    };
  },
};

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  const timeouts = { first_token_ms: FIRST_TOKEN_MS, idle_ms: IDLE_MS };
  gateway = await startTestGateway({
    clock,
    document: (standard) => ({
      ...standard,
      channels: standard.channels.map((one) => (one.name === 'up' ? { ...one, timeouts } : one)),
      models: [...standard.models, upModel('paint', { kinds: ['images'], price: { image: 0.1 } })],
    }),
  });
});
beforeEach(async () => {
  account = await gateway.register();
  gateway.upstream.reset();
  kept = 0;
});
afterAll(() => gateway.stop());

/** What becomes of the call, when the gateway has read the first image. */
async function paintFirst(rest: readonly Part[]): Promise<{ answered: Promise<Response> }> {
  gateway.upstream.otherwise(sseScript([COMPLETED, ...rest]));
  const body = { model: 'paint', prompt: 'a cat', n: 2, stream: true };
  const answered = gateway.call('/v1/images/generations', { key: account.key, body });
  await eventually('the first image to be heard', () => kept > 0);
  return { answered };
}

const receiptOf = (response: Response) =>
  eventually('the receipt', async () => {
    const found = await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
    return found.request_id ? found : undefined;
  });

test.each([
  ['the next one', COMPLETED, 2],
  ['the end', DONE, 1],
])('it waits for %s longer than a first word may take', async (_what, next, images) => {
  const gate = createGate();
  const { answered } = await paintFirst([gate.opened, next]);
  await clock.advance(2 * FIRST_TOKEN_MS);
  gate.open();
  const response = await answered;
  expect(response.status).toBe(200);
  const shown = (await readSse(response)).filter(({ event }) => event === IMAGE.type);
  expect(shown).toHaveLength(images);
  const cost_nano = (BigInt(images) * 100_000_000n).toString();
  expect(shown.map(({ json }) => json?.usage?.cost_nano)).toEqual([...Array(images - 1).fill(undefined), cost_nano]);
  expect(await receiptOf(response)).toMatchObject({ status: 'ok', images, cost_nano, attempts: [{ outcome: 'ok' }] });
  expect(gateway.upstream.requests).toHaveLength(1);
});

test('an upstream that says nothing after it is idle', async () => {
  const { answered } = await paintFirst([new Promise<never>(() => {})]);
  await clock.advance(IDLE_MS);
  const response = await answered;
  expect(response.status).toBe(502);
  const receipt = await receiptOf(response);
  expect(receipt).toMatchObject({ images: 0, cost_nano: '0', attempts: [{ outcome: 'idle' }] });
  expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
});
