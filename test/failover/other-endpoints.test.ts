// Faults of a provider at the endpoints that are no chat: the second channel serves, says so, and one answer is charged.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type FormField, postForm } from '../support/forms.ts';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { rerankAnswer, speechAnswer } from '../support/other-answers.ts';
import { wavOf } from '../support/recordings.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

interface Row {
  kind: string;
  price: Record<string, number>;
  path(model: string): string;
  /** In JSON, or the fields of a form. */
  body: Record<string, unknown> | readonly FormField[];
  answer(): Script;
  costNano: string;
}

const PICTURE: FormField = ['image', new File([new Uint8Array(500)], 'a.png', { type: 'image/png' })];
const CONTENT = { parts: [{ text: 'Hello there, all of you.' }] };
const images = { kind: 'images', price: { image: 0.1 }, answer: pictureAnswer, costNano: '100000000' };
const transcripts = {
  ...{ kind: 'transcription', price: { second: 0.01 }, costNano: '30000000' },
  answer: () => jsonScript(200, { text: 'Good morning.', usage: { type: 'duration', seconds: 3 } }),
  body: [['file', new File([wavOf(3)], 'call.wav', { type: 'audio/x-wav' })]],
} as const;
const embeddings = { kind: 'embeddings', price: { input: 2 }, answer: vectorAnswer, costNano: '8000' };
const rerank = {
  ...{ kind: 'rerank', price: { search: 65 }, answer: rerankAnswer, costNano: '65000000' },
  body: { query: 'refund', documents: ['a', 'b'] },
};

const at = (path: string) => () => path;
const ROWS: readonly Row[] = [
  { ...embeddings, path: at('/v1/embeddings'), body: { input: 'Hello there, all of you.' } },
  { ...embeddings, path: (model) => `/v1beta/models/${model}:embedContent`, body: { content: CONTENT } },
  { ...images, path: at('/v1/images/generations'), body: { prompt: 'a cat' } },
  { ...images, path: at('/v1/images/edits'), body: [['prompt', 'a hat'], PICTURE] },
  { ...images, path: at('/v1/images/variations'), body: [PICTURE] },
  {
    ...{ kind: 'speech', price: { character: 100 }, answer: speechAnswer, costNano: '500000' },
    ...{ path: at('/v1/audio/speech'), body: { input: 'Hello', voice: 'alloy' } },
  },
  { ...transcripts, path: at('/v1/audio/transcriptions') },
  { ...transcripts, path: at('/v1/audio/translations') },
  { ...rerank, path: at('/v1/rerank') },
  { ...rerank, path: at('/v2/rerank') },
  {
    ...{ kind: 'moderation', price: { input: 2 }, costNano: '8000' },
    ...{ path: at('/v1/moderations'), body: { input: 'Hello there, all of you.' } },
    answer: () => jsonScript(200, { id: 'm', results: [{ flagged: false }], usage: { prompt_tokens: 4 } }),
  },
];

/** What the first channel says, each time it is asked. */
const FAULTS: readonly [name: string, play: (row: Row) => Script][] = [
  ['an error', () => errorScript(500, { message: 'down' })],
  ['429 with a long wait', () => ({ ...errorScript(429, { message: 'slow down' }), headers: { 'retry-after': '60' } })],
  ['a key that is refused', () => errorScript(401, { message: 'Incorrect API key provided.' })],
  ['a reset before the answer', () => ({ cut: { after: 'head', by: 'rst' } })],
  // The first byte of speech is for the client: what breaks off later is not rescued.
  ['an answer that breaks off', (row) => cutAt(row.answer(), row.kind === 'speech' ? 0 : half(row), 'fin')],
  ['an answer of another kind', () => jsonScript(200, { id: 'x', object: 'other' })],
];
const half = (row: Row) => Math.floor(bodyLength(row.answer()) / 2);

const modelOf = (row: number, fault: number) => `m-${row}-${fault}`;

let gateway: TestGateway;
let second: ScriptedUpstream;
let account: TestAccount;
beforeAll(async () => {
  second = await startUpstream();
  gateway = await startTestGateway({
    random: NO_JITTER,
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        openaiChannel('first', upstreamUrl(standard)),
        openaiChannel('second', second.baseUrl),
      ],
      models: [
        ...standard.models,
        ...ROWS.flatMap(({ kind, price }, row) =>
          FAULTS.map((_, fault) =>
            upModel(modelOf(row, fault), {
              ...{ kinds: [kind], price },
              routes: ['first', 'second'].map((channel, index) => ({
                ...{ channel, model: modelOf(row, fault), priority: index + 1 },
              })),
            }),
          ),
        ),
      ],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  second.reset();
  account = await gateway.register();
});
afterAll(async () => {
  expect(gateway.audit()).toEqual([]);
  await gateway.stop();
  await second.close();
});

function call(row: Row, model: string): Promise<Response> {
  const { key } = account;
  const path = row.path(model);
  if (isForm(row.body)) return postForm(gateway, path, [['model', model], ...row.body], { key });
  const body = path.includes(model) ? row.body : { model, ...row.body };
  return gateway.call(path, { key, body });
}

function isForm(body: Row['body']): body is readonly FormField[] {
  return Array.isArray(body);
}

describe.each(ROWS.map((row, index) => [row.path('{model}'), row, index] as const))('%s', (_, row, index) => {
  test.each(FAULTS.map(([name, play], fault) => [name, play, fault] as const))('%s', async (_name, play, fault) => {
    const before: Answer = await gateway.get('/api/me', account.key);
    gateway.upstream.otherwise(play(row));
    second.otherwise(row.answer());
    const response = await call(row, modelOf(index, fault));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('second');
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    const receipt: Answer = await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
    const served = receipt.attempts.filter(({ outcome }: Answer) => outcome === 'ok');
    expect(served).toMatchObject([{ channel: 'second' }]);
    expect(receipt.attempts[0]).toMatchObject({ channel: 'first' });
    expect(receipt).toMatchObject({ status: 'ok', channel: 'second', cost_nano: row.costNano, estimated: false });
    const after: Answer = await gateway.get('/api/me', account.key);
    expect(BigInt(before.balance_nano) - BigInt(after.balance_nano)).toBe(BigInt(row.costNano));
    expect(after.held_nano).toBe('0');
    expect((await gateway.get('/api/usage', account.key)).data).toHaveLength(1);
    expect(second.requests).toHaveLength(1);
  });
});
