// Random forms, nearly right and broken at random places: each is answered in our envelope, none is an error of ours, what is
// not answered costs nothing, and the books agree afterwards.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { wavOf } from '../support/recordings.ts';
import { cutAt, type Script } from '../support/script.ts';
import { upModel } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_118);
const RUNS = 400;
const PATHS = ['/v1/images/edits', '/v1/images/variations', '/v1/audio/transcriptions', '/v1/audio/translations'];
const BEHAVIOURS = ['ok', 'ok', 'ok', 'fails', 'refuses', 'garbage', 'cut', 'missing'];

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    random: NO_JITTER,
    limits: { paid_per_minute: 100_000 },
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        ...[...new Set(BEHAVIOURS)].flatMap((model) => [
          upModel(`paint-${model}`, { kinds: ['images'], price: { image: 0.001 }, routes: [{ channel: 'up', model }] }),
          upModel(`hear-${model}`, {
            ...{ kinds: ['transcription'], price: { second: 0.001 } },
            routes: [{ channel: 'up', model }],
          }),
        ]),
      ],
    }),
  });
  gateway.upstream.otherwise(behave);
  account = await gateway.register();
  const card = await issueCard(gateway, { amount: 1_000_000_000_000n });
  await gateway.call('/api/redeem', { key: account.key, body: { code: card.code } });
});
afterAll(() => gateway.stop());

function behave({ body, path }: SeenRequest): Script {
  const answer = jsonScript(
    200,
    path.includes('images') ? { data: [{ b64_json: 'QUJD' }] } : { text: 'Hi', usage: { seconds: 1 } },
  );
  const [, behaviour = ''] = /name="model"\r\n\r\n(\w+)/.exec(body) ?? [];
  if (behaviour === 'fails') return errorScript(500, { message: 'down' });
  if (behaviour === 'refuses') return errorScript(400, { message: 'no', param: 'image' });
  if (behaviour === 'missing') return errorScript(404, { message: 'Not Found' });
  if (behaviour === 'garbage') return { ...answer, body: ['<html>'] };
  return behaviour === 'cut' ? cutAt(answer, 5, 'fin') : answer;
}

const TEXTS = ['1', '2', 'true', 'json', 'srt', 'text', '__proto__', '\u0000', '', 'é', 'x'.repeat(3_000)];
const NAMES = [
  'prompt',
  'n',
  'stream',
  'response_format',
  'size',
  'image[]',
  'file',
  'model[]',
  '__proto__',
  'x[a][b]',
  '',
];
const WAV = Buffer.from(wavOf(0.2)).toString('latin1');

const field = fc.tuple(
  fc.constantFrom(...NAMES),
  fc.constantFrom('', '', '; filename="a.wav"'),
  fc.constantFrom(...TEXTS, WAV),
);
const bodies = fc
  .record({
    path: fc.constantFrom(...PATHS),
    behaviour: fc.constantFrom(...BEHAVIOURS),
    fields: fc.array(field, { maxLength: 3 }),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat(8), fc.constantFrom('', '--b', '\r\n', '"', '\xff', 'Content-')), {
      maxLength: 2,
    }),
  })
  .map(({ path, behaviour, fields, changes }) => {
    const isImage = path.includes('images');
    const all: [string, string, string][] = [
      ['model', '', `${isImage ? 'paint' : 'hear'}-${behaviour}`],
      [isImage ? 'image' : 'file', '; filename="a.wav"', WAV],
      ...(path.endsWith('edits') ? ([['prompt', '', 'a hat']] as [string, string, string][]) : []),
      ...fields,
    ];
    const parts = all.map(
      ([name, file, data]) => `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${data}\r\n`,
    );
    const whole = `${parts.join('')}--b--\r\n`;
    const body = changes.reduce((text, [pick, cut, added]) => {
      const at = pick % text.length;
      return text.slice(0, at) + added + text.slice(at + cut);
    }, whole);
    return { path, body: new Uint8Array(Buffer.from(body, 'latin1')) };
  });

test('any form is answered, and only answers cost something', async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(bodies, async ({ path, body }) => {
      const response = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.key}`, 'content-type': 'multipart/form-data; boundary=b' },
        body,
      });
      const text = await response.text();
      statuses.add(response.status);
      if (response.status === 200) return;
      const { error }: Answer = JSON.parse(text);
      expect([error.code === 'internal_error', typeof error.message, response.status]).toEqual([
        false,
        'string',
        response.status,
      ]);
      expect([400, 413, 429, 502, 503]).toContain(response.status);
      expect(response.headers.get('x-svc-cost-ntd') ?? '0').toBe('0');
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect([...statuses].toSorted()).toEqual(expect.arrayContaining([200, 400, 502]));
});

test('afterwards the books agree, and nothing is charged without an answer', async () => {
  await eventually('every call to be closed', () => gateway.sql('SELECT * FROM holds').length === 0);
  expect(gateway.audit()).toEqual([]);
  expect(gateway.sql("SELECT status FROM usage_records WHERE status <> 'ok' AND cost_nano > 0")).toEqual([]);
  expect(gateway.sql("SELECT status FROM usage_records WHERE status = 'ok' AND cost_nano > 0").length).toBeGreaterThan(
    50,
  );
  expect(gateway.log.lines().filter(({ code }) => code === 'internal_error')).toEqual([]);
});
