// The bills of the Gemini format and of the endpoints that are no chat, for random reports of usage and random answers: a
// bill is the sum of its lines, never above the hold, and exactly what leaves the wallet.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { postForm } from '../support/forms.ts';
import { PICTURE, VECTOR } from '../support/media-answers.ts';
import { useMediaGateway } from '../support/media-gateway.ts';
import { jsonScript } from '../support/openai-chat.ts';
import { wavOf } from '../support/recordings.ts';
import type { Script } from '../support/script.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';
import { wireClient } from '../support/wire-clients.ts';

/** Nano-NT$ per token, at the prices below. */
const INPUT = 10_000n;
const OUTPUT = 40_000n;
const PRICE = { input: 10, output: 40 };
const CARD_NANO = 10_000_000_000_000n;
const RUNS = { numRuns: 20 };

const gemini = wireClient('gemini');

/** Further models of each kind: a breaker opens for a model whose answers are none. */
const JUNK_RUNS = 10;
const junkModel = (id: string, run: number) => `${id}-junk-${run}`;
const modelsOf = (id: string, fields: Record<string, unknown>, channel = 'up', prefix = '') =>
  [id, ...Array.from({ length: JUNK_RUNS }, (_, run) => junkModel(id, run))].map((model) =>
    upModel(model, {
      ...{ price: PRICE, max_output_tokens: 1_000, ...fields },
      routes: [{ channel, model: prefix + model }],
    }),
  );

const media = useMediaGateway({
  channels: (url) => [
    gemini.channel('google', url),
    openaiChannel('chat-only', url, { endpoints: ['chat'] }),
    openaiChannel('vendor', url, { quirks: 'openai' }),
  ],
  models: [
    ...modelsOf('own', {}, 'google'),
    ...modelsOf('translated', {}, 'chat-only'),
    // A name whose output limit at its vendor is known, so that the vendor is asked to compact.
    ...modelsOf('compact', {}, 'vendor', 'gpt-6-luna:'),
    ...modelsOf('vectors', { kinds: ['embeddings'] }),
    ...modelsOf('paint', { kinds: ['images'] }),
    ...modelsOf('judge', { kinds: ['moderation'] }),
    ...modelsOf('hear', { kinds: ['transcription'] }),
    ...modelsOf('rank', { kinds: ['rerank'] }),
  ],
  cardNano: CARD_NANO,
});

interface Reported {
  input: number;
  output: number;
}

interface Row {
  name: string;
  model: string;
  call(model: string): Promise<Response>;
  answer(reported: Reported): Script;
  /** Output is reported, and has a price. */
  hasOutput: boolean;
}

/** More tokens than any report below has. */
const TEXT = 'word '.repeat(400);
const FILE = new File([wavOf(60)], 'call.wav', { type: 'audio/x-wav' });
const post = (path: string, body: Record<string, unknown>) =>
  media.gateway.call(path, { key: media.account.key, body });
const askGemini = (model: string, stream: boolean) => {
  const { path, body } = gemini.call({ model, stream, messages: [{ role: 'user', content: TEXT }] });
  return post(path, body);
};
const form = (path: string, fields: [string, string | File][]) =>
  postForm(media.gateway, path, fields, { key: media.account.key });
const compact = (model: string) =>
  post('/v1/responses/compact', { model, input: [{ type: 'message', role: 'user', content: TEXT }] });
const promptUsage = ({ input }: Reported) => ({ prompt_tokens: input, total_tokens: input });
const mediaUsage = ({ input, output }: Reported) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});
const picture = (reported: Reported) =>
  jsonScript(200, { created: 1, data: [{ b64_json: PICTURE }], usage: mediaUsage(reported) });

const ROWS: readonly Row[] = [
  {
    name: 'gemini',
    model: 'own',
    call: (model) => askGemini(model, false),
    answer: (tokens) => gemini.whole({ tokens }),
    hasOutput: true,
  },
  {
    name: 'gemini, streamed',
    model: 'own',
    call: (model) => askGemini(model, true),
    answer: (tokens) => gemini.stream({ tokens }),
    hasOutput: true,
  },
  {
    name: 'gemini of a chat upstream',
    model: 'translated',
    call: (model) => askGemini(model, true),
    answer: (tokens) => wireClient('chat').stream({ tokens }),
    hasOutput: true,
  },
  {
    name: 'embeddings',
    model: 'vectors',
    call: (model) => post('/v1/embeddings', { model, input: TEXT }),
    answer: (reported) =>
      jsonScript(200, {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: VECTOR }],
        usage: promptUsage(reported),
      }),
    hasOutput: false,
  },
  {
    name: 'images',
    model: 'paint',
    call: (model) => post('/v1/images/generations', { model, prompt: TEXT }),
    answer: picture,
    hasOutput: true,
  },
  {
    name: 'image edits',
    model: 'paint',
    call: (model) =>
      form('/v1/images/edits', [
        ['model', model],
        ['prompt', TEXT],
        ['image', new File([Buffer.from(PICTURE, 'base64')], 'a.png', { type: 'image/png' })],
      ]),
    answer: picture,
    hasOutput: true,
  },
  {
    name: 'image variations',
    model: 'paint',
    call: (model) =>
      form('/v1/images/variations', [
        ['model', model],
        ['image', new File([Buffer.from(PICTURE, 'base64')], 'a.png', { type: 'image/png' })],
      ]),
    answer: picture,
    hasOutput: true,
  },
  {
    name: 'a compaction by its vendor',
    model: 'compact',
    call: compact,
    answer: (reported) =>
      jsonScript(200, {
        ...{ id: 'resp_1', object: 'response.compaction', usage: mediaUsage(reported) },
        output: [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'sealed by the vendor' }],
      }),
    hasOutput: true,
  },
  {
    name: 'a compaction by a summary',
    model: 'translated',
    call: compact,
    answer: (tokens) => wireClient('chat').whole({ tokens }),
    hasOutput: true,
  },
  {
    name: 'moderations',
    model: 'judge',
    call: (model) => post('/v1/moderations', { model, input: TEXT }),
    answer: (reported) =>
      jsonScript(200, { id: 'm', model: 'x', results: [{ flagged: false }], usage: promptUsage(reported) }),
    hasOutput: false,
  },
  {
    name: 'transcriptions',
    model: 'hear',
    call: (model) =>
      form('/v1/audio/transcriptions', [
        ['file', FILE],
        ['model', model],
      ]),
    answer: (reported) =>
      jsonScript(200, { text: 'Good morning.', usage: { type: 'tokens', ...mediaUsage(reported) } }),
    hasOutput: true,
  },
  {
    name: 'rerank',
    model: 'rank',
    call: (model) => post('/v1/rerank', { model, query: 'q', documents: [TEXT] }),
    answer: ({ input }) =>
      jsonScript(200, { results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: input } }),
    hasOutput: false,
  },
];

async function balance(): Promise<bigint> {
  const { balance_nano, held_nano } = await media.gateway.get('/api/me', media.account.key);
  expect(held_nano).toBe('0');
  return BigInt(balance_nano);
}

interface Line {
  quantity: number;
  unit_price_nano: string;
  amount_nano: string;
}

/** What one call cost, once its bill has proven right. */
async function billOf(
  row: Row,
  script: Script,
  model = row.model,
): Promise<{ status: number; cost: bigint; estimated: boolean }> {
  const before = await balance();
  media.gateway.upstream.reset();
  media.gateway.upstream.otherwise(script);
  const response = await row.call(model);
  await response.arrayBuffer();
  const receipt = await media.receiptOf(response);
  const cost = BigInt(receipt.cost_nano);
  const lines: Line[] = receipt.lines;
  for (const { quantity, unit_price_nano, amount_nano } of lines) {
    expect(BigInt(amount_nano)).toBe(BigInt(quantity) * BigInt(unit_price_nano));
  }
  expect(lines.reduce((sum, { amount_nano }) => sum + BigInt(amount_nano), 0n)).toBe(cost);
  const [kept] = media.gateway.sql<{ held_nano: bigint }>(
    'SELECT held_nano FROM usage_records WHERE request_id = ?',
    receipt.request_id,
  );
  expect(cost).toBeLessThanOrEqual(kept?.held_nano ?? 0n);
  expect(before - (await balance())).toBe(cost);
  return { status: response.status, cost, estimated: receipt.estimated };
}

describe.each(ROWS)('$name', (row) => {
  const plausible = fc.record({ input: fc.integer({ min: 40, max: 400 }), output: fc.integer({ min: 2, max: 100 }) });
  const anything = fc.record({
    input: fc.oneof(fc.maxSafeInteger(), fc.double(), fc.integer({ min: -2, max: 2 })),
    output: fc.oneof(fc.maxSafeInteger(), fc.double(), fc.integer({ min: -2, max: 2 })),
  });

  test('a plausible report is billed to the nano', async () => {
    await fc.assert(
      fc.asyncProperty(plausible, async ({ input, output }) => {
        const { status, cost, estimated } = await billOf(row, row.answer({ input, output }));
        expect([status, estimated]).toEqual([200, false]);
        expect(cost).toBe(BigInt(input) * INPUT + (row.hasOutput ? BigInt(output) * OUTPUT : 0n));
      }),
      RUNS,
    );
  });

  test('whatever is reported, the bill stays within the hold', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (reported) => {
        expect((await billOf(row, row.answer(reported))).status).toBe(200);
      }),
      RUNS,
    );
  });

  test('an answer that is none is no fault of the gateway, and free', async () => {
    const texts = fc.sample(fc.json({ maxDepth: 3 }), JUNK_RUNS);
    for (const [run, text] of texts.entries()) {
      const script = { ...jsonScript(200, {}), body: [text] };
      const { status, cost } = await billOf(row, script, junkModel(row.model, run));
      expect([status, cost], text).toEqual([502, 0n]);
    }
  });
});
