// A channel has one state: the public status, the operator's API and the console name the same one, in the same words. Times
// of stored hours are shown as bounds, and an hour without any success cannot be overlooked.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { channelState, routeState } from '../../../src/catalog/publishing/status-states.ts';
import type { Answer } from '../../support/answer.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer, errorScript } from '../../support/openai-chat.ts';
import { operatorOf } from '../../support/operator.ts';
import { createShiftedClock } from '../../support/shifted-clock.ts';
import { clientOf } from './operator-client.ts';

const HOUR_MS = 3_600_000;
const FIGURES_KEPT_MS = 5_000;
const clock = createShiftedClock();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ clock });
});
afterAll(() => gateway.stop());

test.each([
  [1, 'closed', 'operational'],
  [0.98, 'closed', 'operational'],
  [0.979, 'closed', 'degraded'],
  [0.5, 'closed', 'degraded'],
  [0.499, 'closed', 'down'],
  [null, 'closed', 'unknown'],
  [1, 'open', 'down'],
  [null, 'probing', 'down'],
] as const)('a route with %p and its breaker %s is %s', (rate, breaker, state) => {
  expect(routeState(rate, breaker)).toBe(state);
});

test.each([
  [['operational', 'unknown'], 'operational'],
  [['operational', 'down'], 'degraded'],
  [['down', 'unknown'], 'down'],
  [['unknown'], 'unknown'],
  [[], 'unknown'],
] as const)('a channel with routes %p is %s', (routes, state) => {
  expect(channelState(routes)).toBe(state);
});

async function publicState(): Promise<string> {
  const { data } = (await (await gateway.call('/api/public/status')).json()) as Answer;
  const model = data.find(({ id }: Answer) => id === 'up-paid');
  return model.channels.find(({ name }: Answer) => name === 'up').state;
}

async function operatorState(): Promise<string> {
  return ((await (await operatorOf(gateway).call('/api/admin/channels/up')).json()) as Answer).state;
}

test('at 97 percent, what the public sees as degraded is degraded for the operator', async () => {
  const { key } = await gateway.register();
  gateway.upstream.otherwise(chatAnswer());
  for (let calls = 0; calls < 33; calls++) await gateway.chat(key, { model: 'up-paid', max_tokens: 5 });
  gateway.upstream.next(errorScript(404, { message: 'gone' }));
  await gateway.chat(key, { model: 'up-paid', max_tokens: 5 });
  clock.skip(FIGURES_KEPT_MS);
  expect([await publicState(), await operatorState()]).toEqual(['degraded', 'degraded']);
  for (const [language, word, why] of [
    ['en', 'Degraded', '97.1 % of the requests of the last hour succeeded'],
    ['zh-TW', '不穩定', '最近一小時成功率 97.1 %'],
  ] as const) {
    const html = await (await (await clientOf(gateway, language)).get('/channels/up')).text();
    expect(html).toContain(`<span class="state degraded">${word}</span><span class="under">${why}</span>`);
    const status = await gateway.call('/status', { headers: { accept: 'text/html', 'accept-language': language } });
    expect(await status.text()).toContain(`<span class="state degraded">${word}</span>`);
  }
});

test('an hour at 0 % is red from top to bottom, and times are bounds', async () => {
  const hour = Math.floor(clock.now() / HOUR_MS) - 3;
  const firstToken = [0, 0, 0, 7, ...Array.from({ length: 15 }, () => 0)];
  const sum = { channel: 'up', model: 'up-paid', firstToken, total: [] };
  await gateway.gateway.store.commit('traffic', {
    sums: [
      { ...sum, hour, ok: 0, failed: 1, firstToken: [] },
      { ...sum, hour: hour - 1, ok: 7, failed: 0 },
    ],
  });
  const client = await clientOf(gateway);
  const list = await (await client.get('/channels')).text();
  expect(list).toMatch(/<path class="down" d="M\d+ 50h18" stroke-width="100"/);
  expect(list).toContain('≤ 300 ms');
  const page = await (await client.get('/channels/up')).text();
  expect(page).toContain('half of them ≤ 300 ms');
  expect(page).toMatch(/<path class="bars series-bad" d="M[^"]*z/);
});

test('errors are grouped by what they mean, with what to do', async () => {
  for (const [language, name, todo] of [
    ['en', 'The model or the address does not exist at the upstream', 'Compare the model name'],
    ['zh-TW', '上游沒有這個模型或位址', '請對照供應商的模型清單'],
  ] as const) {
    const html = await (await (await clientOf(gateway, language)).get('/channels/up')).text();
    for (const text of [name, todo, 'route_missing']) expect(html).toContain(text);
  }
});
