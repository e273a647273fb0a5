// Requests with long strings: every byte of them travels on, on every try, however they came.

import { expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { type ChannelSet, useTwoChannels } from '../support/two-channels.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';

const CHAT = '/v1/chat/completions';
const PROSE = 'It was a long way to the "harbour" \\ 港口 😀 é\n'.repeat(1_000);
const bodyOf = (model: string, prompt: string, rest = '') =>
  `{"messages": [ {"role":"user" , "content" : ${JSON.stringify(prompt)}}], "model":"${model}", "seed": 1.50,"max_tokens": 5 ${rest}}`;
const sentOf = (prompt: string, rest = '') => bodyOf('upstream-model', prompt, rest);

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;

useTwoChannels((inUse) => {
  ({ first, second, gateway, account, set } = inUse);
});

/** Apart from the model's name, which is another one there. */
function withoutOurs(sent: string): string {
  return sent.replace(/"model":"[^"]*"/, '"model":"upstream-model"');
}

test.each(['whole', 'streamed'])('%s: the next channel gets the same bytes as the first', async (kind) => {
  const stream = kind === 'streamed';
  const rest = stream ? ',"stream":true,"stream_options":{"include_usage":true}' : '';
  first.next(errorScript(503, { message: 'busy' }));
  second.next(stream ? chatStream() : chatAnswer());
  const response = await gateway.call(CHAT, { key: account.key, body: bodyOf(set.bothFree, PROSE, rest) });
  expect(response.status).toBe(200);
  await response.text();
  for (const upstream of [first, second]) {
    expect(withoutOurs((await upstream.request(0)).body)).toBe(sentOf(PROSE, rest));
  }
});

test('many at once: each is answered for its own words', async () => {
  const prompts = Array.from({ length: 20 }, (_, index) => `${index} ${PROSE.slice(index)}`);
  for (const _ of prompts) first.next(chatAnswer());
  const responses = await Promise.all(
    prompts.map((prompt) => gateway.call(CHAT, { key: account.key, body: bodyOf(set.alone, prompt) })),
  );
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const sent = first.requests.map(({ body }) => withoutOurs(body));
  expect(new Set(sent).size).toBe(sent.length);
  const whole = new Set(prompts.map((prompt) => sentOf(prompt)));
  for (const body of sent) expect(whole.has(body)).toBe(true);
});

test('one that comes in chunks of unknown length', async () => {
  first.next(chatAnswer());
  const bytes = new TextEncoder().encode(bodyOf(set.aloneFree, PROSE));
  const response = await fetch(`${gateway.url}${CHAT}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: new ReadableStream({
      async start(controller) {
        for (let at = 0; at < bytes.length; at += 9_999) {
          controller.enqueue(bytes.slice(at, at + 9_999));
          await Bun.sleep(0);
        }
        controller.close();
      },
    }),
  });
  expect(response.status).toBe(200);
  expect(withoutOurs((await first.request(0)).body)).toBe(sentOf(PROSE));
});

const broken: [what: string, edit: (bytes: Uint8Array) => void, words: string][] = [
  ['a byte that no character begins with', (bytes) => bytes.fill(0xff, 40_000, 40_001), 'valid UTF-8'],
  ['a character that breaks off', (bytes) => bytes.fill(0xe6, 40_000, 40_002), 'valid UTF-8'],
  ['a bare line end', (bytes) => bytes.fill(0x0a, 60, 61), 'not valid JSON'],
  ['no end', (bytes) => bytes.fill(0x20, 40_000), 'not valid JSON'],
];
test.each(broken)('one with %s is refused', async (_, edit, words) => {
  const bytes = new TextEncoder().encode(bodyOf(set.aloneFree, PROSE));
  edit(bytes);
  const response = await fetch(`${gateway.url}${CHAT}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: bytes,
  });
  expect(response.status).toBe(400);
  const { error }: Answer = await response.json();
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(words) });
});
