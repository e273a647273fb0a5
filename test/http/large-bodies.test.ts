// Bodies so large that they are read in pieces: refused and served as small ones are, and meanwhile others have a turn.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';

const CHAT = '/v1/chat/completions';
const PAD = `"user":"${'x\\n'.repeat(300_000)}"`;
const MESSAGES = '"messages":[{"role":"user","content":"你好 \\ud83d\\ude00"}]';
const FIELDS = Array.from({ length: 1_000 }, (_, at) => `,"m${at}":1`).join('');
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({ limits: { free_per_minute: 100 } });
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

const refused: [what: string, body: string, words: string][] = [
  ['broken at its end', `{${PAD},"model":`, 'not valid JSON'],
  ['with text after it', `{${PAD}}x`, 'not valid JSON'],
  ['that is a list', `[{${PAD}}]`, 'JSON object'],
  ['65 deep', `{${PAD},"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'nested too deeply'],
  ['of too many values', `{${PAD},"a":[${'1,'.repeat(100_000)}1]}`, 'too many values'],
  ['of too many fields', `{${PAD}${FIELDS}}`, 'top-level fields'],
  ['with a field of a very long name', `{${PAD},"${'n'.repeat(1_001)}":1}`, 'top-level fields'],
  ['with a field twice', `{${PAD},"model":1,"model":2}`, 'twice'],
  ['without a model', `{${PAD},${MESSAGES}}`, 'model'],
];
test.each(refused)('a body %s says what is wrong with it', async (_, body, words) => {
  const response = await gateway.call(CHAT, { key, body });
  expect(response.status).toBe(400);
  const { error }: Answer = await response.json();
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(words) });
});

test('metadata of too many fields is refused where the model is reached by a translation', async () => {
  const metadata = FIELDS.slice(1);
  const asked = (fields: string) => `{"model":"up-free","max_tokens":5,"metadata":{${fields}},${MESSAGES}}`;
  const refused = await gateway.call('/v1/messages', { key, body: asked(`${metadata},"one":1`) });
  expect(refused.status).toBe(400);
  const { error }: Answer = await refused.json();
  expect(error).toMatchObject({ param: 'metadata', message: expect.stringContaining('more than 1000 fields') });
  gateway.upstream.next(chatAnswer());
  expect((await gateway.call('/v1/messages', { key, body: asked(metadata) })).status).toBe(200);
});

test('a good one travels on, every byte of it', async () => {
  gateway.upstream.next(chatAnswer());
  const body = `{ "model" : "up-free",${PAD}, ${MESSAGES} , "seed": 12345678901234567890, "max_tokens": 20}`;
  const response = await gateway.call(CHAT, { key, body });
  expect(response.status).toBe(200);
  const sent = gateway.upstream.requests.at(-1)?.body;
  expect(sent).toContain(PAD);
  expect(sent).toContain(MESSAGES);
  expect(sent).toContain('"seed": 12345678901234567890');
});

/** Of the whole time, the share of the longest turn; the status. */
async function turnsOf(body: string | Uint8Array): Promise<{ share: number; status: number }> {
  // No account is over its budget for refused bodies.
  const { key: fresh } = await gateway.register();
  let isOver = false;
  const headers: Record<string, string> = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' };
  const call = gateway.call(CHAT, { key: fresh, body, headers }).finally(() => (isOver = true));
  const start = performance.now();
  let last = start;
  let longest = 0;
  while (!isOver) {
    await setImmediate();
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return { share: longest / (last - start), status: (await call).status };
}

const names = Array.from({ length: 99_000 }, (_, at) => `"${at * 40_000}":1`).join();
const heavy: [what: string, body: string | Uint8Array][] = [
  ['20 MB of escaped quotes', `{"model":"nope","a":"${'\\"'.repeat(10_000_000)}"}`],
  ['4 MB of escapes', `{"model":["nope"],"a":"${'\\n'.repeat(2_000_000)}"}`],
  ['an object of 99,000 members', `{"model":["nope"],"a":{${names}}}`],
  ['20 MB, compressed', Bun.gzipSync(`{"model":"nope","a":"${'some text '.repeat(2_000_000)}"}`)],
  ['20 MB of spaces', `{"model":["nope"],"a":"b"${' '.repeat(20_000_000)}}`],
];
test.each(heavy)(
  '%s: while it is read, others have their turn: no single turn is most of the time',
  async (_, body) => {
    // A busy machine makes some turns longer, and none shorter.
    const shares: number[] = [];
    while (shares.length < 10 && !shares.some((share) => share < 0.5)) {
      const { share, status } = await turnsOf(body);
      expect(status).toBeOneOf([400, 404]);
      shares.push(share);
    }
    expect(Math.min(...shares)).toBeLessThan(0.5);
  },
);

test.each(['', PAD])('a byte order mark before a body is ignored', async (pad) => {
  gateway.upstream.next(chatAnswer());
  const body = `\uFEFF{"model":"up-free",${MESSAGES},${pad && `${pad},`}"max_tokens":20}`;
  expect((await gateway.call(CHAT, { key, body })).status).toBe(200);
});

test('a body without a declared length is read in pieces', async () => {
  gateway.upstream.next(chatAnswer());
  const bytes = new TextEncoder().encode(`{"model":"up-free",${PAD},${MESSAGES},"max_tokens":20}`);
  const body = new Blob([bytes.subarray(0, 100_000), bytes.subarray(100_000)]).stream();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(gateway.url + CHAT, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  expect(gateway.upstream.requests.at(-1)?.body).toContain(PAD);
});
