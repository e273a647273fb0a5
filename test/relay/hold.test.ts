// The hold: no paid call without the money for it, and the output bound is what the money pays.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { responseAnswer } from '../support/openai-responses.ts';
import { upModel } from '../support/test-document.ts';

const TRIAL = 1_000_000_000n;
/** Nano-NT$ per output token of `dear`: NT$1 pays nine of them and the prompt. */
const DEAR = 100_000_000n;
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('dear', { price: { input: 1_000, output: 100_000 } }),
        upModel('clamped', { price: { input: 100, output: 1_500 } }),
      ],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

describe('402', () => {
  test('reports what is needed, what is available, and how many tokens are affordable', async () => {
    const response = await gateway.chat(account.key, { model: 'dear', max_tokens: 50 });
    expect(response.status).toBe(402);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.has('retry-after')).toBe(false);
    const { error }: Answer = await response.json();
    expect(error).toMatchObject({
      code: 'insufficient_balance',
      type: 'insufficient_quota',
      available_ntd: 1,
      available_nano: TRIAL.toString(),
    });
    expect(Number(error.needed_nano) / 1e9).toBe(error.needed_ntd);
    const input = BigInt(error.needed_nano) - 16n * DEAR;
    expect(input).toBeGreaterThan(0n);
    expect(input % 1_000_000n).toBe(0n);
    expect(error.affordable_max_tokens).toBe(Number((TRIAL - input) / DEAR));
  });

  test('the affordable tokens that it reports are served', async () => {
    const refused: Answer = await (await gateway.chat(account.key, { model: 'dear', max_tokens: 50 })).json();
    const most = refused.error.affordable_max_tokens;
    expect(most).toBe(9);
    expect(refused.error.message).toEndWith(
      ' Lower max_tokens to 9, redeem a prepaid card to add balance, or use the free model auto:free.',
    );
    expect((await gateway.chat(account.key, { model: 'dear', max_tokens: most + 1 })).status).toBe(402);
    expect((await gateway.chat(account.key, { model: 'dear', max_tokens: most })).status).toBe(200);
    expect(gateway.upstream.requests.map(({ json }) => json.max_tokens)).toEqual([most]);
  });

  test.each(['max_tokens', 'max_completion_tokens', 'max_output_tokens'])(
    'who lowers %s as it is told to is served',
    async (name) => {
      const ask = (bound: number) => {
        const body = { model: 'dear', [name]: bound };
        if (name !== 'max_output_tokens') return gateway.chat(account.key, body);
        gateway.upstream.next(responseAnswer());
        return gateway.call('/v1/responses', { key: account.key, body: { ...body, input: 'Hi' } });
      };
      const response = await ask(50);
      expect(response.status).toBe(402);
      const { error }: Answer = await response.json();
      const [, told = '', most] = / Lower (\w+) to (\d+), /.exec(error.message) ?? [];
      expect(told).toBe(name);
      expect((await ask(Number(most))).status).toBe(200);
    },
  );

  test('so it is where a key’s budget pays less than the wallet', async () => {
    const { key } = await createKey(gateway, account.key, { daily_budget_ntd: 0.7 });
    const refused: Answer = await (await gateway.chat(key, { model: 'dear', max_tokens: 50 })).json();
    expect(refused.error).toMatchObject({ code: 'key_budget_exceeded', available_ntd: 0.7, affordable_max_tokens: 6 });
    expect(refused.error.message).toContain(' Lower max_tokens to 6, raise the budget ');
    expect((await gateway.chat(key, { model: 'dear', max_tokens: 7 })).status).toBe(402);
    expect((await gateway.chat(key, { model: 'dear', max_tokens: 6 })).status).toBe(200);
  });

  test('names the bound as the caller’s format does, and none where thinking would not fit below it', async () => {
    const refused = async (path: string, body: Record<string, unknown>): Promise<string> => {
      const response = await gateway.call(path, { key: account.key, body: { model: 'dear', ...body } });
      expect(response.status).toBe(402);
      return ((await response.json()) as Answer).error.message;
    };
    expect(await refused('/v1/responses', { input: 'Hi' })).toContain('. Lower max_output_tokens to ');
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(await refused('/v1/messages', { max_tokens: 2000, messages, thinking })).toContain(
      '. Redeem a prepaid card',
    );
  });

  test('takes no slot, leaves no hold and no record, and calls no upstream', async () => {
    for (let i = 0; i < 5; i++) await gateway.chat(account.key, { model: 'dear', max_tokens: 50 });
    expect(gateway.upstream.requests).toEqual([]);
    expect((await gateway.get('/api/usage', account.key)).data).toEqual([]);
    expect(gateway.sql('SELECT * FROM holds WHERE account_id = ?', account.accountId)).toEqual([]);
    const { headers } = await gateway.chat(account.key, { model: 'up-paid' });
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('599');
  });

  test('also when the prompt alone is too dear', async () => {
    const messages = [{ role: 'user', content: '漢'.repeat(20_000) }];
    const response = await gateway.chat(account.key, { model: 'dear', messages, max_tokens: 1 });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ error: { affordable_max_tokens: 0 } });
  });
});

describe('the clamp', () => {
  const granted = async (body: Record<string, unknown>) => {
    const response = await gateway.chat(account.key, { model: 'clamped', ...body });
    expect(response.status).toBe(200);
    const { json } = await gateway.upstream.request(0);
    return { sent: json.max_tokens, told: response.headers.get('x-svc-max-tokens') };
  };

  test('goes upstream and is reported when it is below the client’s own number', async () => {
    const { sent, told } = await granted({ max_tokens: 900 });
    expect(told).toBe(String(sent));
    // NT$1 at 1,500 NT$ per million tokens is 666 of them, less the prompt.
    expect(sent).toBeWithin(650, 667);
  });

  test('is reported to a client that set no number, if money lowered it', async () => {
    const { sent, told } = await granted({});
    expect(sent).toBeWithin(650, 667);
    expect(told).toBe(String(sent));
  });

  test('that is the model’s own is not reported to a client that set no number', async () => {
    const response = await gateway.chat(account.key, { model: 'demo-small' });
    expect(response.status).toBe(200);
    expect(response.headers.has('x-svc-max-tokens')).toBe(false);
  });

  test('is not there when the money is', async () => {
    expect(await granted({ max_tokens: 600 })).toEqual({ sent: 600, told: null });
  });

  test('counts every choice', async () => {
    const { sent } = await granted({ max_tokens: 900, n: 4 });
    expect(sent).toBeWithin(160, 167);
  });

  test('is reported on streams, too', async () => {
    const response = await gateway.chat(account.key, { model: 'demo-small', max_tokens: 5_000, stream: true });
    expect(response.headers.get('x-svc-max-tokens')).toBe('1000');
    await response.text();
  });
});

test('the hold is the dearest input price and the whole output bound, and stands while the call runs', async () => {
  const gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const running = gateway.chat(account.key, { model: 'up-paid', max_tokens: 100, n: 2 });
  await gateway.upstream.request(0);
  const { held_nano, balance_nano, available_nano } = await gateway.get('/api/me', account.key);
  const input = BigInt(held_nano) - 2n * 100n * 40_123n;
  expect(input).toBeGreaterThan(0n);
  expect(input % 12_500n).toBe(0n);
  expect(BigInt(available_nano)).toBe(BigInt(balance_nano) - BigInt(held_nano));
  gate.open();
  await running;
});

test('for a bound that is lower than upstreams take, as much is held as they may bill', async () => {
  const gate = createGate();
  gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const running = gateway.chat(account.key, { model: 'up-paid', max_tokens: 1 });
  const { json } = await gateway.upstream.request(0);
  expect(json.max_tokens).toBe(1);
  const { held_nano } = await gateway.get('/api/me', account.key);
  const input = BigInt(held_nano) - 16n * 40_123n;
  expect(input).toBeGreaterThan(0n);
  expect(input % 12_500n).toBe(0n);
  gate.open();
  expect((await running).headers.has('x-svc-max-tokens')).toBe(false);
});

describe('refused before any money is looked at', () => {
  test.each([
    ['n', 0],
    ['n', 129],
    ['n', 1.5],
    ['n', '2'],
    ['max_tokens', 0],
    ['max_tokens', -1],
    ['max_tokens', 1e12],
    ['max_completion_tokens', 'many'],
    ['stream', 'yes'],
    ['stream_options', []],
    ['messages', []],
    ['messages', 'Hi'],
    ['messages', ['Hi']],
    ['model', 7],
  ])('%s: %p', async (name, value) => {
    const response = await gateway.chat(account.key, { model: 'up-paid', [name]: value });
    expect(response.status).toBe(400);
    const { error }: Answer = await response.json();
    expect(error.code).toBe('invalid_request');
    expect(error.param).toStartWith(name);
    expect(gateway.upstream.requests).toEqual([]);
  });
});
