// POST /v1/audio/transcriptions and /v1/audio/translations: the recording arrives intact, the bill is what the upstream reports
// or the length of the recording, and the client gets the format that it asked for.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { type FormField, postForm, seenFile, seenForm } from '../support/forms.ts';
import { twoRoutes, useMediaGateway } from '../support/media-gateway.ts';
import { errorScript, jsonScript, sseScript } from '../support/openai-chat.ts';
import { m4aOf, wavOf } from '../support/recordings.ts';
import { readSse } from '../support/sse.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

const PATH = '/v1/audio/transcriptions';
const PER_SECOND = 1_000_000n;
const KINDS = { kinds: ['transcription'] };

const media = useMediaGateway({
  channels: (url) => [openaiChannel('second', url), openaiChannel('groq', url, { quirks: 'groq' })],
  models: [
    upModel('hear', { ...KINDS, price: { second: 0.001 } }),
    upModel('hear-dear', { ...KINDS, price: { second: 1_000 } }),
    upModel('hear-free', { ...KINDS, price: 'free' }),
    upModel('whisper', {
      ...{ ...KINDS, price: { second: 0.001 } },
      routes: [{ channel: 'groq', model: 'whisper-large-v3' }],
    }),
    upModel('hear-by-token', { ...KINDS, price: { input: 100, output: 300 }, max_output_tokens: 2_000 }),
    upModel('hear-twice', {
      ...{ ...KINDS, price: { second: 0.001 } },
      routes: twoRoutes('second', ['first-name', 'second-name']),
    }),
  ],
  cardNano: 100_000_000_000n,
});

const FILE = new File([wavOf(9.5)], 'call.wav', { type: 'audio/x-wav' });
const fieldsOf = (fields: Record<string, string> = {}): FormField[] => [
  ['file', FILE],
  ...Object.entries({ model: 'hear', ...fields }),
];
const transcribe = (fields: readonly FormField[] = fieldsOf(), path = PATH) =>
  postForm(media.gateway, path, fields, { key: media.account.key });
const said = (rest: Record<string, unknown> = {}) => jsonScript(200, { text: 'Good morning.', ...rest });
const DURATION = { type: 'duration', seconds: 10 };
const SEGMENTS = [
  { id: 0, start: 0, end: 2.5, text: ' Good morning.' },
  { id: 1, start: 2.5, end: 3_723.004, text: ' How are --> you?' },
];

describe('a transcript', () => {
  test('is of the file as it came, and costs the seconds that are reported', async () => {
    media.gateway.upstream.next(said({ usage: DURATION }));
    const response = await transcribe(fieldsOf({ language: 'en', temperature: '0' }));
    expect(response.headers.get('x-svc-channel')).toBe('up');
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.01');
    expect(await response.json()).toEqual({ text: 'Good morning.', usage: DURATION });
    const [seen] = media.gateway.upstream.requests;
    expect(seen?.path).toBe(PATH);
    expect(seen && (await seenForm(seen))).toEqual([
      ['model', 'scripted-2026-01'],
      ['file', await seenFile(FILE)],
      ['language', 'en'],
      ['temperature', '0'],
    ]);
    expect(await media.receiptOf(response)).toMatchObject({
      ...{ endpoint: PATH, seconds: 10, estimated: false, cost_nano: String(10n * PER_SECOND) },
      lines: expect.arrayContaining([
        { bucket: 'second', quantity: 10, unit_price_nano: String(PER_SECOND), amount_nano: String(10n * PER_SECOND) },
      ]),
    });
  });

  test('by tokens costs the tokens that are reported', async () => {
    const usage = { type: 'tokens', input_tokens: 95, output_tokens: 4, total_tokens: 99 };
    media.gateway.upstream.next(said({ usage }));
    const receipt = await media.receiptOf(await transcribe(fieldsOf({ model: 'hear-by-token' })));
    expect(receipt).toMatchObject({ input_tokens: 95, output_tokens: 4, estimated: false });
    expect(receipt.cost_nano).toBe(String(95n * 100_000n + 4n * 300_000n));
  });

  test.each([
    ['the length that the upstream heard', { duration: 8.47 }, 9, false],
    ['that length as text', { duration: '8.47' }, 9, false],
    ['the length of the file, where nothing is reported', {}, 10, true],
    ['the same for impossible figures', { duration: -1, usage: { type: 'duration', seconds: 'many' } }, 10, true],
    ['at most the hold', { usage: { type: 'duration', seconds: 82 } }, 82, false],
  ])('costs %s', async (_name, rest, seconds, estimated) => {
    media.gateway.upstream.next(said(rest));
    const receipt = await media.receiptOf(await transcribe());
    expect(receipt).toMatchObject({ seconds, estimated });
    expect(receipt.cost_nano).toBe(String(BigInt(Math.min(seconds, 11)) * PER_SECOND));
  });

  test.each([{ duration: 82.5 }, { duration: 1e9 }, { usage: { type: 'duration', seconds: -3 } }])(
    'with an impossible length, %j, costs the length of the file, and raises an alarm',
    async (rest) => {
      const before = media.gateway.log.alarms('usage_invalid').length;
      media.gateway.upstream.next(said(rest));
      const response = await transcribe();
      expect([response.status, await media.receiptOf(response)]).toMatchObject([200, { seconds: 10, rule: 'served' }]);
      expect(media.gateway.log.alarms('usage_invalid')).toHaveLength(before + 1);
    },
  );

  test.each([260, 400])(
    'of %d s of a file whose length is unknown costs its hold at most, and not less',
    async (seconds) => {
      const bytes = new Uint8Array(100_000);
      bytes.set([0x1a, 0x45, 0xdf, 0xa3]);
      media.gateway.upstream.next(said({ usage: { type: 'duration', seconds } }));
      const file = new File([bytes], 'call.webm', { type: 'audio/webm' });
      const response = await transcribe([
        ['file', file],
        ['model', 'hear'],
      ]);
      expect(await media.receiptOf(response)).toMatchObject({ cost_nano: String(PER_SECOND * 100n) });
    },
  );

  test('with too long a length costs its hold; the rest is the operator’s loss, and no failure of the customer', async () => {
    media.gateway.upstream.next(said({ duration: 21.5 }));
    const response = await transcribe();
    expect([response.status, await media.receiptOf(response)]).toMatchObject([
      200,
      { rule: 'above_hold', status: 'ok' },
    ]);
    const requestId = String(response.headers.get('x-request-id'));
    const [loss] = media.gateway.sql('SELECT reason, amount_nano FROM losses WHERE request_id = ?', requestId);
    expect(loss).toEqual({ reason: 'above_hold', amount_nano: PER_SECOND * 11n });
  });

  test('of a container that only declares its length holds for what its bytes could be', async () => {
    const file = new File([m4aOf(60, 480_000)], 'memo.m4a');
    media.gateway.upstream.next(said({ usage: { type: 'duration', seconds: 400 } }));
    const receipt = await media.receiptOf(
      await transcribe([
        ['model', 'hear'],
        ['file', file],
      ]),
    );
    expect(receipt).toMatchObject({ seconds: 400, cost_nano: String(400n * PER_SECOND) });
  });

  test.each([
    ['json', undefined, JSON.stringify({ text: 'Good morning.' })],
    ['json', 'json', JSON.stringify({ text: 'Good morning.' })],
    ['text', 'text', 'Good morning.\n'],
  ])('in %s of a model that can say its length costs that, whatever the file declares', async (_name, format, body) => {
    const file = new File([m4aOf(1, 480_000)], 'short.m4a');
    media.gateway.upstream.next(said({ task: 'transcribe', language: 'english', duration: 59.2, segments: SEGMENTS }));
    const fields = format ? [['response_format', format] as const] : [];
    const response = await transcribe([['model', 'whisper'], ['file', file], ...fields]);
    expect(await response.text()).toBe(body);
    const [seen] = media.gateway.upstream.requests;
    expect(seen && (await seenForm(seen))).toContainEqual(['response_format', 'verbose_json']);
    const receipt = await media.receiptOf(response);
    expect(receipt).toMatchObject({ seconds: 60, estimated: false, cost_nano: String(60n * PER_SECOND) });
  });

  test('without a report costs at least what its bytes last at the highest rate', async () => {
    const file = new File([m4aOf(1, 1_999_000)], 'short.m4a');
    media.gateway.upstream.next(said());
    const receipt = await media.receiptOf(
      await transcribe([
        ['model', 'hear'],
        ['file', file],
      ]),
    );
    expect(receipt).toMatchObject({ seconds: 10, estimated: true });
  });

  test('of a free model is bounded by what its bytes may hold, whatever it declares', async () => {
    const free = (bytes: number) =>
      transcribe([
        ['model', 'hear-free'],
        ['file', new File([m4aOf(1, bytes)], 'short.m4a')],
      ]);
    const long = await free(8_000_000);
    expect([long.status, ((await long.json()) as Answer).error.code]).toEqual([400, 'context_length_exceeded']);
    media.gateway.upstream.next(said());
    expect((await free(1_000_000)).status).toBe(200);
  });

  test('that is longer than the balance pays for is refused before it is sent', async () => {
    const response = await transcribe(fieldsOf({ model: 'hear-dear' }));
    expect([response.status, ((await response.json()) as Answer).error.code]).toEqual([402, 'insufficient_balance']);
    expect(media.gateway.upstream.requests).toEqual([]);
  });

  test('is served by the next channel with the same file', async () => {
    media.gateway.upstream.otherwise((request) =>
      request.body.includes('second-name') ? said({ usage: DURATION }) : errorScript(500, { message: 'down' }),
    );
    const response = await transcribe(fieldsOf({ model: 'hear-twice' }));
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'second']);
    for (const seen of media.gateway.upstream.requests) {
      expect(await seenForm(seen)).toContainEqual(['file', await seenFile(FILE)]);
    }
  });

  test.each([
    ['no words', jsonScript(200, { text: '', usage: DURATION }), 200],
    ['no text', jsonScript(200, { usage: DURATION }), 502],
    ['a failure', errorScript(500, { message: 'down' }), 502],
  ])('with %s costs nothing', async (_name, script, status) => {
    media.gateway.upstream.otherwise(script);
    const response = await transcribe();
    expect(response.status).toBe(status);
    expect(await media.receiptOf(response)).toMatchObject({ cost_nano: '0' });
  });

  test('of a free model passes only what free models take', async () => {
    media.gateway.upstream.next(said());
    const response = await transcribe(fieldsOf({ model: 'hear-free', vad_filter: 'true' }));
    expect([response.status, response.headers.get('x-svc-dropped')]).toEqual([200, 'vad_filter']);
  });

  test('has any reported usage charged exactly, and never more than its hold', async () => {
    const seconds = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.double({ min: 0.01, max: 20, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(seconds, fc.double({ min: 0.1, max: 12, noNaN: true }), async (heard, length) => {
        media.gateway.upstream.next(said({ usage: { type: 'duration', seconds: heard } }));
        const file = new File([wavOf(length)], 'a.wav');
        const response = await transcribe([
          ['model', 'hear'],
          ['file', file],
        ]);
        const { cost_nano }: Answer = await media.receiptOf(response);
        expect(BigInt(cost_nano)).toBe(
          BigInt(Math.min(Math.ceil(heard), Math.max(1, Math.ceil(length)) + 1)) * PER_SECOND,
        );
      }),
      { numRuns: 25 },
    );
  });
});

describe('formats', () => {
  test.each([
    ['text', 'json', 'text/plain; charset=utf-8', 'Good morning.\n'],
    [
      'srt',
      'verbose_json',
      'text/plain; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:02,500\nGood morning.\n\n2\n00:00:02,500 --> 01:02:03,004\nHow are -> you?\n\n',
    ],
    [
      'vtt',
      'verbose_json',
      'text/vtt; charset=utf-8',
      'WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nGood morning.\n\n00:00:02.500 --> 01:02:03.004\nHow are -> you?\n\n',
    ],
  ])('%s is written from %s', async (format, asked, type, text) => {
    media.gateway.upstream.next(said({ duration: 9.5, segments: SEGMENTS }));
    const fields: FormField[] = [...fieldsOf({ response_format: format }), ['timestamp_granularities[]', 'word']];
    const response = await transcribe(fields);
    expect([response.headers.get('content-type'), await response.text()]).toEqual([type, text]);
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.01');
    const [seen] = media.gateway.upstream.requests;
    const sent = seen ? await seenForm(seen) : [];
    expect(sent).toContainEqual(['response_format', asked]);
    expect(sent.some(([name]) => name.startsWith('timestamp'))).toBe(format === 'text');
  });

  test.each([
    ['srt', undefined],
    ['srt', []],
    ['vtt', [{ start: 0, end: 1 }, 'Good morning.', null]],
  ])('%s of an answer with the segments %j would have no text: another channel writes it', async (format, segments) => {
    media.gateway.upstream.otherwise(({ body }) =>
      said({ duration: 9.5, segments: body.includes('second-name') ? SEGMENTS : segments }),
    );
    const response = await transcribe(fieldsOf({ model: 'hear-twice', response_format: format }));
    expect(response.headers.get('x-svc-channel')).toBe('second');
    expect(await response.text()).toContain('Good morning.');
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.01');
  });

  test('verbose_json passes as it is', async () => {
    const answer = { task: 'transcribe', duration: 9.5, text: 'Good morning.', segments: SEGMENTS };
    media.gateway.upstream.next(jsonScript(200, answer));
    expect(await (await transcribe(fieldsOf({ response_format: 'verbose_json' }))).json()).toEqual(answer);
  });
});

describe('a stream', () => {
  const event = (type: string, rest: Record<string, unknown>) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const delta = (text: string) => event('transcript.text.delta', { delta: text });
  const streamed = (fields: Record<string, string> = {}) => transcribe(fieldsOf({ stream: 'true', ...fields }));

  test('has the deltas and, in its last event, usage and cost', async () => {
    const usage = { type: 'tokens', input_tokens: 95, output_tokens: 4, total_tokens: 99 };
    media.gateway.upstream.next(
      sseScript([delta('Good '), delta('morning.'), event('transcript.text.done', { text: 'Good morning.', usage })]),
    );
    const events = await readSse(await streamed({ model: 'hear-by-token' }));
    expect(events.map(({ json }) => json.type.replace('transcript.text.', ''))).toEqual(['delta', 'delta', 'done']);
    const cost = 95n * 100_000n + 4n * 300_000n;
    expect(events[2]?.json.usage).toEqual({ ...usage, cost_ntd: Number(cost) / 1e9, cost_nano: String(cost) });
  });

  test('of an upstream that answers whole is a stream all the same', async () => {
    media.gateway.upstream.next(said({ usage: DURATION }));
    const events = await readSse(await streamed());
    expect(events.map(({ json }) => json.delta ?? json.text)).toEqual(['Good morning.', 'Good morning.']);
    expect(events[1]?.json.usage).toMatchObject({ ...DURATION, cost_ntd: 0.01 });
  });

  test('that breaks off costs nothing, and says so', async () => {
    media.gateway.upstream.otherwise({ ...sseScript([delta('Good ')]), framing: 'close' });
    const response = await streamed();
    const events = await readSse(response);
    expect(events.at(-1)?.json.error.code).toBe('upstream_failed');
    expect(await media.receiptOf(response)).toMatchObject({ cost_nano: '0' });
  });

  test('that its client leaves costs the whole recording, and no more', async () => {
    const gate = createGate();
    media.gateway.upstream.next({
      ...sseScript([delta('Good ')]),
      framing: 'chunked',
      body: [delta('Good '), gate.opened],
    });
    const leaving = new AbortController();
    const fields = fieldsOf({ stream: 'true' });
    const response = await postForm(media.gateway, PATH, fields, { key: media.account.key, signal: leaving.signal });
    const id = response.headers.get('x-request-id');
    await response.body?.getReader().read();
    leaving.abort();
    const receipt = await eventually('the receipt', async () => {
      const found: Answer = await media.gateway.get(`/api/receipts/${id}`, media.account.key);
      return found.error ? undefined : found;
    });
    gate.open();
    expect(receipt).toMatchObject({ status: 'client_gone', seconds: 10, estimated: true });
    expect(receipt.cost_nano).toBe(String(10n * PER_SECOND));
  });

  test.each(['srt', 'vtt'])('of %s is refused', async (response_format) => {
    const response = await streamed({ response_format });
    expect([response.status, ((await response.json()) as Answer).error.param]).toEqual([400, 'stream']);
  });
});

describe('a refusal names the field', () => {
  test.each<[string, readonly FormField[], string]>([
    ['no file', [['model', 'hear']], 'file'],
    ['two files', [...fieldsOf(), ['file', FILE]], 'file'],
    ['a format that is none', fieldsOf({ response_format: 'xml' }), 'response_format'],
    ['stream as a word', fieldsOf({ stream: 'yes' }), 'stream'],
    ['a chat model', fieldsOf({ model: 'up-paid' }), 'model'],
  ])('%s', async (_name, fields, param) => {
    const response = await transcribe(fields);
    expect([response.status, ((await response.json()) as Answer).error.param]).toEqual([400, param]);
    expect(media.gateway.upstream.requests).toEqual([]);
  });

  test('more than 26 MiB', async () => {
    const file = new File([new Uint8Array(27 * 1024 * 1024)], 'a.wav');
    expect(
      (
        await transcribe([
          ['model', 'hear'],
          ['file', file],
        ])
      ).status,
    ).toBe(413);
  });
});

describe('a translation', () => {
  test('is charged as a transcript is', async () => {
    media.gateway.upstream.next(said({ usage: DURATION }));
    const response = await transcribe(fieldsOf(), '/v1/audio/translations');
    expect([response.status, response.headers.get('x-svc-cost-ntd')]).toEqual([200, '0.01']);
    expect(media.gateway.upstream.requests[0]?.path).toBe('/v1/audio/translations');
  });

  test('that the upstream does not have is a fault of the call', async () => {
    media.gateway.upstream.otherwise(errorScript(404, { message: 'Not Found' }));
    const response = await transcribe(fieldsOf(), '/v1/audio/translations');
    expect([response.status, ((await response.json()) as Answer).error.code]).toEqual([400, 'unsupported_endpoint']);
  });
});

test('a quote without the recording is for the longest that is taken', async () => {
  const body = { endpoint: PATH, body: { model: 'hear' } };
  const quote: Answer = await (await media.gateway.call('/api/quote', { key: media.account.key, body })).json();
  expect(quote).toMatchObject({ max_cost_ntd: 27.263, likely_cost_ntd: 3.408, refusal: null });
  media.gateway.upstream.next(said({ usage: DURATION }));
  const response = await postForm(media.gateway, PATH, fieldsOf(), {
    key: media.account.key,
    headers: { 'x-svc-quote': quote.quote_id },
  });
  expect([response.status, response.headers.get('x-svc-cost-ntd')]).toEqual([200, '0.01']);
});
