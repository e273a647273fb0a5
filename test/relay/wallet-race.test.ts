// Two hundred calls at once on a wallet that can pay for few: it never goes below zero, and every nano is accounted for.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    limits: { paid_per_minute: 10_000, in_flight: 1_000 },
    document: (doc) => ({
      ...doc,
      models: [...doc.models, upModel('dear', { price: { input: 1_000, output: 5_000 } })],
    }),
  });
});
afterAll(() => gateway.stop());

test('never negative, every refusal a 402, and the sum of costs is what the wallet lost', async () => {
  const { key, accountId } = await gateway.register();
  const usage = { prompt_tokens: 11, completion_tokens: 15 };
  gateway.upstream.otherwise(({ json }) => {
    const script = json.stream ? chatStream({ usage }) : chatAnswer({ usage });
    return { ...script, body: [5, ...(script.body ?? [])] };
  });

  let running = true;
  const lowest = watchAvailable(accountId, () => running);
  const calls = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const body = { model: 'dear', max_tokens: 20, stream: index % 2 === 0 };
      const response = await untilHeard(() => gateway.chat(key, body));
      return { status: response.status, text: await response.text() };
    }),
  );
  running = false;

  const served = calls.filter(({ status }) => status === 200);
  const refused = calls.filter(({ status }) => status !== 200);
  expect(served.length).toBeGreaterThan(3);
  expect(refused.length).toBeGreaterThan(100);
  for (const { status, text } of refused) {
    expect(status).toBe(402);
    expect(['insufficient_balance', 'balance_in_use']).toContain((JSON.parse(text) as Answer).error.code);
  }
  expect(await lowest).toBeGreaterThanOrEqual(0n);

  const cost = 11n * 1_000_000n + 15n * 5_000_000n;
  const { balance_nano, held_nano } = await gateway.get('/api/me', key);
  expect(BigInt(balance_nano)).toBe(1_000_000_000n - BigInt(served.length) * cost);
  expect(held_nano).toBe('0');
  const { totals } = await gateway.get('/api/usage?limit=1', key);
  expect(totals).toMatchObject({ requests: served.length, cost_nano: (BigInt(served.length) * cost).toString() });
  expect(gateway.upstream.requests).toHaveLength(served.length);
  expect(gateway.audit()).toEqual([]);
});

async function watchAvailable(accountId: string, isRunning: () => boolean): Promise<bigint> {
  let lowest = 1_000_000_000n;
  while (isRunning()) {
    const [row] = gateway.sql<{ available: bigint }>(
      'SELECT balance_nano - held_nano AS available FROM wallets WHERE account_id = ?',
      accountId,
    );
    if (row && row.available < lowest) lowest = row.available;
    await Bun.sleep(2);
  }
  return lowest;
}
