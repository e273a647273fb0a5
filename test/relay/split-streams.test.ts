// A recorded stream in any pieces: the client's events are the same, to the byte. `npm test` splits it at every fourth byte, at
// others in each run; `npm run test:long` at all.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { chatChunks, sseText } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import { bodyLength, inPieces, type Script, splitAt } from '../support/script.ts';
import { upModel } from '../support/test-document.ts';

const STEP = IS_LONG_RUN ? 1 : 4;
const AT_ONCE = 32;
const RECORDED = [
  ': upstream is thinking\n\n',
  ...chatChunks({ pieces: ['早', '安，', '世界 🌏', ' ünï'], reasoning: ['嗯…'] }).map((chunk) =>
    sseText(JSON.stringify(chunk)),
  ),
  ': bye\n\n',
  sseText('[DONE]'),
].join('');
const script = (ending: string): Script => ({
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  framing: 'chunked',
  body: [RECORDED.replaceAll('\n', ending)],
});

let gateway: TestGateway;
let key: string;
let expected: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    limits: { paid_per_minute: 100_000, in_flight: 1_000 },
    document: (doc) => ({
      ...doc,
      models: [...doc.models, upModel('cheap', { price: { input: 0.001, output: 0.001 } })],
    }),
  });
  ({ key } = await gateway.register());
  gateway.upstream.next(script('\n'));
  expected = await ask(-1);
});
afterAll(() => gateway.stop());

async function ask(seed: number): Promise<string> {
  const body = { model: 'cheap', stream: true, stream_options: { include_usage: true }, seed };
  return (await untilHeard(() => gateway.chat(key, body))).text();
}

test('the whole stream passes as it was recorded, but for the name and the cost', () => {
  const shown = RECORDED.replaceAll(/^:.*\n\n/gm, '')
    .replaceAll('scripted-2026-01', 'cheap')
    .replace('"total_tokens":18}', '"total_tokens":18,"cost_ntd":1.8e-8,"cost_nano":"18"}');
  expect(expected).toBe(shown);
});

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('%s', (_, ending) => {
  test('split in two', async () => {
    const whole = script(ending);
    gateway.upstream.otherwise(({ json }) => {
      const [head = '', tail = ''] = splitAt(whole, json.seed).body ?? [];
      return { ...whole, body: [head, 1, tail] };
    });
    const all = Array.from({ length: bodyLength(whole) + 1 }, (_unused, offset) => offset);
    const taken = all.filter((offset) => (offset + RUN_SEED) % STEP === 0);
    for (let from = 0; from < taken.length; from += AT_ONCE) {
      const offsets = taken.slice(from, from + AT_ONCE);
      const answers = await Promise.all(offsets.map(ask));
      for (const [index, answer] of answers.entries()) expect(answer, `split at ${offsets[index]}`).toBe(expected);
    }
  });

  test.each([1, 2, 3, 7, 64])('in chunks of %d bytes', async (size) => {
    gateway.upstream.otherwise(inPieces(script(ending), size));
    expect(await ask(0)).toBe(expected);
  });
});

test.each(['sized', 'close'] as const)('%s instead of chunked', async (framing) => {
  gateway.upstream.otherwise({ ...inPieces(script('\n'), 50), framing });
  expect(await ask(0)).toBe(expected);
});
