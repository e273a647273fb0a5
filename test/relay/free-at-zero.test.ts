// An account without money: the free model goes on, everything else says what is missing.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { spendAll } from '../support/spend-all.ts';
import { readSse } from '../support/sse.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => ({
      ...doc,
      models: [...doc.models, upModel('up-even', { price: { input: 1_000, output: 1_000 } })],
    }),
  });
  ({ key } = await gateway.register());
  await spendAll(gateway, key, 'up-even');
});
afterAll(() => gateway.stop());

test('the wallet is at NT$0 exactly', async () => {
  expect(await gateway.get('/api/me', key)).toMatchObject({ balance_nano: '0', held_nano: '0', available_nano: '0' });
  expect(gateway.audit()).toEqual([]);
});

test('the free model answers, whole and streamed', async () => {
  const whole = await gateway.chat(key, { model: 'auto:free' });
  expect(whole.status).toBe(200);
  expect(whole.headers.get('x-svc-balance-ntd')).toBe('0');
  const stream = await gateway.chat(key, { model: 'auto:free', stream: true });
  expect((await readSse(stream)).at(-1)?.data).toBe('[DONE]');
});

test('it has the daily number of an account without balance', async () => {
  expect((await gateway.get('/api/me', key)).free.day.limit).toBe(100);
});

test('a paid model is 402 with the figures, and takes no slot and no record', async () => {
  const before = await gateway.get('/api/usage', key);
  const response = await gateway.chat(key, { model: 'demo-small', max_tokens: 4 });
  expect(response.status).toBe(402);
  expect(response.headers.get('x-should-retry')).toBe('false');
  const { error }: Answer = await response.json();
  expect(error).toMatchObject({
    code: 'insufficient_balance',
    type: 'insufficient_quota',
    available_ntd: 0,
    available_nano: '0',
    affordable_max_tokens: 0,
  });
  expect(BigInt(error.needed_nano)).toBeGreaterThanOrEqual(4n * 65_000n);
  expect(error.actions.map(({ href }: Answer) => new URL(href).pathname)).toContain('/api/redeem');
  expect(await gateway.get('/api/usage', key)).toEqual(before);
});

test('the free model is named only to a key that may use it', async () => {
  const open: Answer = await (await gateway.chat(key, { model: 'demo-small' })).json();
  expect(open.error.message).toContain('auto:free');
  expect(bodiesOf(open)).toContainEqual(expect.objectContaining({ model: 'auto:free' }));
  const limited = await createKey(gateway, key, { models: ['demo-small'] });
  const told: Answer = await (await gateway.chat(limited.key, { model: 'demo-small' })).json();
  expect(told.error.code).toBe('insufficient_balance');
  expect(JSON.stringify(told)).not.toContain('auto:free');
  expect(bodiesOf(told)).toEqual([{ code: 'PC-…' }]);
});

function bodiesOf({ error }: Answer): unknown[] {
  return error.actions.map(({ body }: Answer) => body);
}
