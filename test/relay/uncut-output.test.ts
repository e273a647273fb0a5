// Output that cannot be cut short is held for as the longest of the models that may answer writes it: no field of the request
// bounds it, and whoever lists models chooses which of them is the first.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { postForm } from '../support/forms.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { wavOf } from '../support/recordings.ts';
import { upModel } from '../support/test-document.ts';

const PRICE = { input: 1, output: 10 };
const USED = { input_tokens: 5, output_tokens: 8_000 };
const COST = 5n * 1_000n + 8_000n * 10_000n;

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  const pair = (kind: string) => [
    upModel(`short-${kind}`, {
      ...{ kinds: [kind], price: PRICE, max_output_tokens: 100 },
      routes: [{ channel: 'up', model: 'short' }],
    }),
    upModel(`long-${kind}`, {
      ...{ kinds: [kind], price: PRICE, max_output_tokens: 10_000 },
      routes: [{ channel: 'up', model: 'long' }],
    }),
  ];
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [...standard.models, ...pair('images'), ...pair('transcription'), ...pair('chat')],
    }),
  });
  account = await gateway.register();
  const card = await issueCard(gateway, { amount: 100_000_000_000n });
  await gateway.call('/api/redeem', { key: account.key, body: { code: card.code } });
  gateway.upstream.otherwise(({ body }) =>
    body.includes('short')
      ? errorScript(404, { message: 'x' })
      : jsonScript(200, { data: [{ b64_json: 'QUJD' }], text: 'Good morning.', usage: { type: 'tokens', ...USED } }),
  );
});
afterAll(() => gateway.stop());

const receiptOf = (response: Response): Promise<Answer> =>
  gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);

test('an image of a listed model is charged as reported', async () => {
  const body = { model: 'short-images', models: ['long-images'], prompt: 'a boat' };
  const receipt = await receiptOf(await gateway.call('/v1/images/generations', { key: account.key, body }));
  expect(receipt).toMatchObject({ model: 'long-images', rule: 'served', cost_nano: String(COST) });
});

test('so is a transcript', async () => {
  const fields = [
    ['model', 'short-transcription'],
    ['models[]', 'long-transcription'],
    ['file', new File([wavOf(2)], 'a.wav')],
  ] as const;
  const receipt = await receiptOf(await postForm(gateway, '/v1/audio/transcriptions', fields, account));
  expect(receipt).toMatchObject({ model: 'long-transcription', rule: 'served', cost_nano: String(COST) });
});

test('text is cut where the first model would end it, and held for no more', async () => {
  const body = { model: 'short-chat', models: ['long-chat'], messages: [{ role: 'user', content: 'Hi' }] };
  const quoted = await gateway.call('/api/quote', {
    key: account.key,
    body: { endpoint: '/v1/chat/completions', body },
  });
  expect((await quoted.json()) as Answer).toMatchObject({ output_tokens: { bound: 100 } });
});
