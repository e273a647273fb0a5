// POST /v1/images/edits and /v1/images/variations: files arrive intact at the upstream, whoever serves them, and the bill is
// that of images.

import { describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { type FormField, postForm, seenFile, seenForm } from '../support/forms.ts';
import { startTestGateway } from '../support/gateway.ts';
import { pictureAnswer } from '../support/media-answers.ts';
import { twoRoutes, useMediaGateway } from '../support/media-gateway.ts';
import { errorScript, jsonScript, sseScript } from '../support/openai-chat.ts';
import { readSse } from '../support/sse.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

const EDITS = '/v1/images/edits';
const VARIATIONS = '/v1/images/variations';
const MIB = 1024 * 1024;

const media = useMediaGateway({
  channels: (url) => [openaiChannel('second', url), openaiChannel('generate', url, { endpoints: ['images'] })],
  models: [
    upModel('paint', { kinds: ['images'], price: { image: 0.1 } }),
    upModel('paint-by-token', { kinds: ['images'], price: { input: 10, output: 40 }, context_tokens: 10_000 }),
    upModel('paint-free', { kinds: ['images'], price: 'free' }),
    upModel('paint-only', {
      kinds: ['images'],
      price: { image: 0.1 },
      routes: [{ channel: 'generate', model: 'p' }],
    }),
    upModel('paint-other', {
      kinds: ['images'],
      price: { image: 0.1 },
      routes: [{ channel: 'second', model: 'painter' }],
    }),
    upModel('paint-twice', {
      ...{ kinds: ['images'], price: { image: 0.1 } },
      routes: twoRoutes('second', ['first-name', 'second-name']),
    }),
  ],
  cardNano: 100_000_000_000n,
});

const randomFile = (name: string, size = 5_000, type = 'image/png') =>
  new File(
    [crypto.getRandomValues(new Uint8Array(Math.min(size, 60_000))), new Uint8Array(Math.max(0, size - 60_000))],
    name,
    {
      type,
    },
  );
const CAT: FormField = ['image', randomFile('cat.png')];
const FIELDS: readonly FormField[] = [['model', 'paint'], ['prompt', 'a hat'], CAT];
const edit = (fields: readonly FormField[], headers?: Record<string, string>) =>
  postForm(media.gateway, EDITS, fields, { key: media.account.key, ...(headers ? { headers } : {}) });
const image = (usage?: Answer) =>
  jsonScript(200, { created: 1, data: [{ b64_json: 'QUJD' }], ...(usage ? { usage } : {}) });

describe('an edit', () => {
  test('reaches the upstream with its fields and its files as they came, and the model’s name there', async () => {
    media.gateway.upstream.next(image());
    const files = [randomFile('cat "1".png'), randomFile('狗.webp', 70_000, 'image/webp')];
    const mask = randomFile('mask.png');
    const response = await edit([
      ...files.map((file): FormField => ['image[]', file]),
      ['prompt', 'a hat\r\n帽子'],
      ['model', 'paint'],
      ['mask', mask],
      ['n', '2'],
      ['size', '1024x1024'],
    ]);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('up');
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.1');
    expect(await response.json()).toEqual({ created: 1, data: [{ b64_json: 'QUJD' }] });
    const [seen] = media.gateway.upstream.requests;
    expect(seen?.path).toBe('/v1/images/edits');
    expect(seen && (await seenForm(seen))).toEqual([
      ['model', 'scripted-2026-01'],
      ...(await Promise.all(files.map(async (file) => ['image[]', await seenFile(file)] as [string, Answer]))).map(
        ([name, file]): [string, Answer] => [name, { ...file, filename: file.filename.replaceAll('"', '%22') }],
      ),
      ['prompt', 'a hat\r\n帽子'],
      ['mask', await seenFile(mask)],
      ['n', '2'],
      ['size', '1024x1024'],
    ]);
  });

  test('of 20 MiB passes, and leaves nothing in the data folder', async () => {
    media.gateway.upstream.next(image());
    const file = randomFile('large.png', 20 * MIB);
    const response = await edit([
      ['model', 'paint'],
      ['prompt', 'a hat'],
      ['image', file],
    ]);
    expect(response.status).toBe(200);
    const [seen] = media.gateway.upstream.requests;
    expect(seen && (await seenForm(seen))).toContainEqual(['image', await seenFile(file)]);
  });

  test('is served by the next channel with the same files, under its own name of the model', async () => {
    media.gateway.upstream.otherwise((request) =>
      request.body.includes('second-name') ? image() : errorScript(500, { message: 'down' }),
    );
    const response = await edit([['model', 'paint-twice'], ['prompt', 'a hat'], CAT]);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('second');
    const forms = await Promise.all(media.gateway.upstream.requests.map(seenForm));
    expect(forms.at(0)?.[0]).toEqual(['model', 'first-name']);
    expect(forms.at(-1)?.[0]).toEqual(['model', 'second-name']);
    const [, cat] = CAT;
    for (const form of forms) expect(form.at(-1)).toEqual(['image', await seenFile(cat as File)]);
  });

  test('by tokens costs what is reported, and its hold covers a whole context', async () => {
    media.gateway.upstream.next(image({ input_tokens: 9_000, output_tokens: 200, total_tokens: 9_200 }));
    const response = await edit([['model', 'paint-by-token'], ['prompt', 'a hat'], CAT]);
    expect(await media.receiptOf(response)).toMatchObject({
      ...{ input_tokens: 9_000, output_tokens: 200, estimated: false, endpoint: EDITS },
      cost_nano: String(9_000n * 10_000n + 200n * 40_000n),
    });
    expect(media.gateway.log.alarms('usage_above_hold')).toEqual([]);
  });

  test('streams partial images under the names of edits, and the last one bears the cost', async () => {
    const event = (type: string, rest = {}) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: 'QUJD', ...rest })}\n\n`;
    media.gateway.upstream.next(
      sseScript([
        event('image_edit.partial_image', { partial_image_index: 0 }),
        event('image_edit.completed', { usage: { input_tokens: 3, output_tokens: 9, total_tokens: 12 } }),
      ]),
    );
    const response = await edit([...FIELDS, ['stream', 'true'], ['partial_images', '1']]);
    const events = await readSse(response);
    expect(events.map(({ json }) => json.type)).toEqual(['image_edit.partial_image', 'image_edit.completed']);
    expect(events[1]?.json.usage).toMatchObject({ cost_ntd: 0.1 });
  });

  test('in JSON passes on with its addresses', async () => {
    media.gateway.upstream.next(image());
    const body = { model: 'paint', prompt: 'a hat', images: [{ image_url: 'https://x.test/a.png' }] };
    const response = await media.gateway.call(EDITS, { key: media.account.key, body });
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.1');
    expect(media.gateway.upstream.requests[0]?.json).toEqual({ ...body, model: 'scripted-2026-01' });
  });

  test('without an image, with a failing upstream or a cut answer costs nothing', async () => {
    media.gateway.upstream.next(jsonScript(200, { created: 1, data: [] }));
    expect(await media.receiptOf(await edit(FIELDS))).toMatchObject({ cost_nano: '0' });
    media.gateway.upstream.otherwise(errorScript(500, { message: 'down' }));
    const failed = await edit(FIELDS);
    expect(failed.status).toBe(502);
    expect(await media.receiptOf(failed)).toMatchObject({ cost_nano: '0' });
  });

  test('fields that a second reader could take for others do not reach the upstream', async () => {
    media.gateway.upstream.next(image());
    const response = await edit([
      ...FIELDS,
      ['N', '10'],
      ['route', 'fallback'],
      ['speed', 'fast'],
      ['max_tokens', '5'],
    ]);
    const dropped = response.headers.get('x-svc-dropped')?.split(',').toSorted();
    expect(dropped).toEqual(['N', 'max_tokens', 'route', 'speed']);
    const [seen] = media.gateway.upstream.requests;
    expect((seen ? await seenForm(seen) : []).map(([name]) => name)).toEqual(['model', 'prompt', 'image']);
  });

  test('goes to the models that the form lists, which no upstream sees', async () => {
    media.gateway.upstream.otherwise(({ body }) =>
      body.includes('painter') ? image() : errorScript(500, { message: 'down' }),
    );
    const response = await edit([...FIELDS, ['models[]', 'paint-other']]);
    expect([response.status, await media.receiptOf(response)]).toMatchObject([200, { model: 'paint-other' }]);
    for (const seen of media.gateway.upstream.requests) {
      expect((await seenForm(seen)).map(([name]) => name)).toEqual(['model', 'prompt', 'image']);
    }
  });

  test.each(['images', 'image'])('of a free model has no more in %s than a free call has input', async (field) => {
    const images = Array.from({ length: 100 }, () => ({ image_url: 'https://example.com/cat.png' }));
    const body = { model: 'paint-free', prompt: 'a hat' };
    const edits = (list: unknown) =>
      media.gateway.call(EDITS, { key: media.account.key, body: { ...body, [field]: list } });
    const many = await edits(images);
    expect([many.status, ((await many.json()) as Answer).error.code]).toEqual([400, 'context_length_exceeded']);
    expect(media.gateway.upstream.requests).toEqual([]);
    media.gateway.upstream.next(image());
    const few = await edits(images.slice(0, 16));
    expect(few.status).toBe(200);
  });

  test('of a free model passes only what free models take', async () => {
    media.gateway.upstream.next(image());
    const response = await edit([['model', 'paint-free'], ['prompt', 'a hat'], ['quality', 'high'], CAT]);
    expect(response.headers.get('x-svc-dropped')).toBe('quality');
    const [seen] = media.gateway.upstream.requests;
    expect((seen ? await seenForm(seen) : []).map(([name]) => name)).toEqual(['model', 'prompt', 'image']);
  });
});

describe('without a model', () => {
  const keyFor = async (...models: string[]) => (await createKey(media.gateway, media.account.key, { models })).key;

  test.each([
    [EDITS, 'a form', FIELDS.slice(1)],
    [EDITS, 'JSON', { prompt: 'a hat', images: [{ image_url: 'https://x.test/a.png' }] }],
    [VARIATIONS, 'a form', [CAT]],
    ['/v1/images/generations', 'JSON', { prompt: 'a hat' }],
  ])('%s as %s goes to the only one there is, which the upstream gets', async (path, _, body) => {
    media.gateway.upstream.next(image());
    // The other one has neither edits nor variations.
    const key = await keyFor('paint-other', ...(path.endsWith('generations') ? [] : ['paint-only']));
    const fields = Array.isArray(body) ? (body as readonly FormField[]) : undefined;
    const response = await (fields
      ? postForm(media.gateway, path, fields, { key })
      : media.gateway.call(path, { key, body }));
    expect(response.status).toBe(200);
    expect(await media.receiptOf(response)).toMatchObject({ model: 'paint-other', cost_ntd: 0.1 });
    const [seen] = media.gateway.upstream.requests;
    const sent = seen && fields ? Object.fromEntries(await seenForm(seen)) : seen?.json;
    expect(sent.model).toBe('painter');
  });

  test('one of several must be named', async () => {
    const response = await postForm(media.gateway, EDITS, FIELDS.slice(1), {
      key: await keyFor('paint', 'paint-other'),
    });
    const { error }: Answer = await response.json();
    expect([response.status, error.param]).toEqual([400, 'model']);
    expect(error.message).toContain('paint, paint-other');
  });
});

describe('a quote', () => {
  test('for the fields of the form pins their price, whatever the files are', async () => {
    const body = { model: 'paint', prompt: 'a hat', n: 2 };
    const quoted = await media.gateway.call('/api/quote', { key: media.account.key, body: { endpoint: EDITS, body } });
    const quote: Answer = await quoted.json();
    expect(quote).toMatchObject({ max_cost_ntd: 0.2, refusal: null });
    media.gateway.upstream.next(image());
    const fields: readonly FormField[] = [['model', 'paint'], CAT, ['prompt', 'a hat'], ['n', '2']];
    const response = await edit(fields, { 'x-svc-quote': quote.quote_id });
    expect(response.status).toBe(200);
    const other = await edit([...fields.slice(0, 3), ['n', '3']], { 'x-svc-quote': quote.quote_id });
    expect([other.status, ((await other.json()) as Answer).error.code]).toEqual([422, 'quote_mismatch']);
  });
});

describe('a refusal names the field', () => {
  const without = (name: string) => FIELDS.filter(([field]) => field !== name);
  test.each<[string, readonly FormField[], string | null, string]>([
    ['no model', without('model'), 'model', 'model is missing'],
    ['no prompt', without('prompt'), 'prompt', 'prompt must be a non-empty string'],
    ['no image', without('image'), 'image', 'image is missing'],
    ['an image as text', [...without('image'), ['image', 'AAAA']], 'image', 'image must be a file'],
    ['an empty image', [...FIELDS, ['image', new File([], 'a.png')]], 'image', 'image is an empty file'],
    ['two masks', [...FIELDS, ['mask', randomFile('a')], ['mask', randomFile('b')]], 'mask', 'at most 1'],
    ['n as a word', [...FIELDS, ['n', 'two']], 'n', 'n must be a whole number from 1 to 10'],
    ['n as a list', [...FIELDS, ['n[]', '2']], 'n', 'n must be a whole number from 1 to 10'],
    ['n as a file', [...FIELDS, ['n', randomFile('n')]], 'n', 'n must be text'],
    ['n above 10', [...FIELDS, ['n', '11']], 'n', 'n must be a whole number from 1 to 10'],
    ['n twice', [...FIELDS, ['n', '1'], ['n', '10']], 'n', 'n occurs twice'],
    ['stream as a number', [...FIELDS, ['stream', '1']], 'stream', 'stream must be true or false'],
    ['a name with a space', [...FIELDS, ['n ', '9']], null, 'A field of the form has a name'],
  ])('%s', async (_name, fields, param, message) => {
    const response = await edit(fields);
    const { error }: Answer = await response.json();
    expect([response.status, error.code, error.param ?? null]).toEqual([400, 'invalid_request', param]);
    expect(error.message).toContain(message);
    expect(media.gateway.upstream.requests).toEqual([]);
  });

  test('a form that is no form', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const response = await media.gateway.call(EDITS, { key: media.account.key, body: '--b\r\nx', headers });
    const { error }: Answer = await response.json();
    expect([response.status, error.message]).toEqual([
      400,
      'The form cannot be read. The head of part 1, at byte 3, has no end.',
    ]);
  });

  test('more than 51 MiB, before they are read', async () => {
    const response = await edit([...FIELDS, ['mask', randomFile('x', 52 * MIB)]]);
    expect(response.status).toBe(413);
  });

  test('a model whose channel has no edits', async () => {
    const response = await edit([['model', 'paint-only'], ['prompt', 'a hat'], CAT]);
    expect([response.status, ((await response.json()) as Answer).error.code]).toEqual([400, 'unsupported_endpoint']);
    const { data }: Answer = await (await media.gateway.call('/api/public/catalog')).json();
    const endpoints = Object.fromEntries(data.map(({ id, endpoints }: Answer) => [id, endpoints]));
    expect(endpoints['paint-only']).toEqual(['/v1/images/generations']);
    expect(endpoints.paint).toEqual(['/v1/images/generations', EDITS, VARIATIONS]);
  });
});

describe('a variation', () => {
  const vary = (fields: readonly FormField[]) =>
    postForm(media.gateway, VARIATIONS, fields, { key: media.account.key });

  test('needs no prompt, and costs what its images cost', async () => {
    media.gateway.upstream.next(pictureAnswer());
    const response = await vary([['model', 'paint'], CAT, ['n', '1']]);
    expect([response.status, response.headers.get('x-svc-cost-ntd')]).toEqual([200, '0.1']);
    expect(media.gateway.upstream.requests[0]?.path).toBe('/v1/images/variations');
  });

  test('that the upstream does not have is a fault of the call, and other calls of the model go on', async () => {
    media.gateway.upstream.otherwise(errorScript(404, { message: 'Not Found' }));
    for (let calls = 0; calls < 8; calls++) {
      const response = await vary([['model', 'paint'], CAT]);
      const { error }: Answer = await response.json();
      expect([response.status, error.code, error.param]).toEqual([400, 'unsupported_endpoint', 'model']);
    }
    media.gateway.upstream.otherwise(pictureAnswer());
    const response = await media.gateway.call('/v1/images/generations', {
      key: media.account.key,
      body: { model: 'paint', prompt: 'a hat' },
    });
    expect(response.status).toBe(200);
    expect(media.gateway.log.alarms('upstream_route_missing')).toEqual([]);
  });

  test('in JSON, or streamed, is refused', async () => {
    const json = await media.gateway.call(VARIATIONS, { key: media.account.key, body: { model: 'paint' } });
    expect([json.status, ((await json.json()) as Answer).error.param]).toEqual([400, 'image']);
    const streamed = await vary([['model', 'paint'], CAT, ['stream', 'true']]);
    expect([streamed.status, ((await streamed.json()) as Answer).error.param]).toEqual([400, 'stream']);
  });
});

test('a form takes twice its bytes of the memory for bodies', async () => {
  const small = await startTestGateway({
    document: (standard) => ({
      ...standard,
      guards: { ...standard.guards, body_megabytes_in_flight: 25 },
      models: [...standard.models, upModel('paint', { kinds: ['images'], price: { image: 0.1 } })],
    }),
  });
  try {
    small.upstream.otherwise(image());
    const { key } = await small.register();
    const send = (bytes: number) =>
      postForm(
        small,
        EDITS,
        [
          ['model', 'paint'],
          ['prompt', 'a hat'],
          ['image', randomFile('a.png', bytes)],
        ],
        { key },
      );
    expect((await send(12 * MIB)).status).toBe(200);
    const refused = await send(13 * MIB);
    expect([refused.status, ((await refused.json()) as Answer).error.code]).toEqual([503, 'unavailable']);
    expect((await send(12 * MIB)).status).toBe(200);
  } finally {
    await small.stop();
  }
});
