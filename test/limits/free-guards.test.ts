// What one free request may be: its input, its output, and how many run at once. Each guard, and each switched off.

import { afterEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { OPEN_FILES, png, wave } from '../support/media-samples.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;
let key: string;
afterEach(() => gateway.stop());

async function start(guards: Record<string, number | null>): Promise<void> {
  gateway = await startTestGateway({
    clock: createManualClock(),
    limits: { free_per_minute: 1_000 },
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('up-wide', { price: 'free', context_tokens: 400_000, max_output_tokens: 50_000 }),
      ],
      guards: { ...doc.guards, ...guards },
    }),
  });
  ({ key } = await gateway.register());
  gateway.upstream.otherwise(chatAnswer());
}
const ask = (fields: Record<string, unknown>, model = 'up-wide') => gateway.chat(key, { model, ...fields });
const words = (count: number) => [{ role: 'user', content: 'word '.repeat(count) }];
const usedToday = async (): Promise<number> => (await gateway.get('/api/me', key)).free.day.used;

describe('free_input_tokens', () => {
  test('refuses a longer prompt with the figures, before any slot', async () => {
    await start({ free_input_tokens: 100 });
    const refused = await ask({ messages: words(1_000) });
    expect(refused.status).toBe(400);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
    expect(error.message).toMatch(/prompt is too long: \d+ tokens > 100 maximum/);
    expect(await usedToday()).toBe(0);
    expect(gateway.upstream.requests).toEqual([]);
    expect((await ask({ messages: words(50) })).status).toBe(200);
  });

  test('is 64,000 unless said', async () => {
    await start({});
    expect((await ask({ messages: words(80_000) })).status).toBe(400);
    expect((await ask({ messages: words(40_000) })).status).toBe(200);
  });

  const withPart = (part: Record<string, unknown>, model?: string) => {
    const content = [{ type: 'text', text: 'Read this' }, part];
    return ask(
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'user', content },
        ],
        max_tokens: 20,
      },
      model,
    );
  };
  const BY_ID = { type: 'file', file: { file_id: 'file-1' } };

  const dataUrl = (bytes: Buffer, type: string) => `data:${type};base64,${bytes.toString('base64')}`;
  const packed = (name: string) => OPEN_FILES[name] ?? Buffer.alloc(0);

  test.each([
    BY_ID,
    { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' } },
    { type: 'image_url', image_url: { url: dataUrl(packed('a PDF'), 'image/png') } },
    { type: 'image_url', image_url: { url: dataUrl(packed('an MP4'), 'image/png') } },
    { type: 'file', file: { filename: 'a.docx', file_data: dataUrl(packed('a DOCX'), '') } },
    { type: 'file', file: { filename: 'a.pdf', file_data: dataUrl(packed('a PDF'), 'application/pdf') } },
    { type: 'input_audio', input_audio: { data: packed('an Ogg').toString('base64'), format: 'ogg' } },
  ])('refuses what has no size in the request, by its place and before any slot: %j', async (part) => {
    await start({});
    const refused = await withPart(part);
    expect(refused.status).toBe(400);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'invalid_request', param: 'messages[1].content[1]' });
    expect(error.message).toStartWith('The size of messages[1].content[1] cannot be determined from the request');
    expect(await usedToday()).toBe(0);
    expect(gateway.upstream.requests).toEqual([]);
  });

  test('takes a file of text, an image, also by its address, and audio that is not compressed', async () => {
    await start({});
    const file_data = dataUrl(Buffer.from('Hello'), 'text/plain');
    expect((await withPart({ type: 'file', file: { filename: 'a.txt', file_data } })).status).toBe(200);
    const url = dataUrl(png(800, 600), 'image/png');
    expect((await withPart({ type: 'image_url', image_url: { url } })).status).toBe(200);
    expect((await withPart({ type: 'image_url', image_url: { url: 'https://x.test/a.png' } })).status).toBe(200);
    const input_audio = { data: wave(60).toString('base64'), format: 'wav' };
    expect((await withPart({ type: 'input_audio', input_audio })).status).toBe(200);
  });

  test('accepts a part that only contains an address', async () => {
    await start({});
    const tabs = [{ tab_id: '1', title: 'X', url: 'https://x.test' }];
    expect((await withPart({ type: 'browser_state', tabs })).status).toBe(200);
  });

  test('does not concern what only the upstream can see on paid models, nor when it is off', async () => {
    await start({ free_input_tokens: null });
    expect((await withPart(BY_ID)).status).toBe(200);
    await gateway.apply((doc) => ({
      ...doc,
      models: [...doc.models, upModel('up-cheap', { price: { input: 0.001, output: 0.001 } })],
    }));
    expect((await withPart(BY_ID, 'up-cheap')).status).toBe(200);
  });

  test('does not concern paid models, nor anybody when it is off', async () => {
    await start({ free_input_tokens: null });
    expect((await ask({ messages: words(80_000) })).status).toBe(200);
    await gateway.apply((doc) => ({ ...doc, guards: { free_input_tokens: 10 } }));
    expect((await ask({ messages: words(1_000), max_tokens: 20 }, 'up-paid')).status).toBe(200);
  });
});

describe('free_output_tokens', () => {
  const bound = async (index: number) => {
    const { json } = await gateway.upstream.request(index);
    return json.max_tokens ?? json.max_completion_tokens;
  };

  test('lowers what is asked for, and says so', async () => {
    await start({ free_output_tokens: 300 });
    const lowered = await ask({ max_tokens: 2_000 });
    expect(lowered.status).toBe(200);
    expect(lowered.headers.get('x-svc-max-tokens')).toBe('300');
    expect(await bound(0)).toBe(300);
    const within = await ask({ max_tokens: 200 });
    expect(within.headers.has('x-svc-max-tokens')).toBe(false);
    expect(await bound(1)).toBe(200);
    await ask({});
    expect(await bound(2)).toBe(300);
  });

  test.each([
    { asked: { n: 4 }, each: 75 },
    { asked: { n: 7, max_tokens: 2_000 }, each: 42 },
    { asked: { best_of: 4, max_tokens: 75 }, each: 75 },
    { asked: { n: 4, max_tokens: 20 }, each: 20 },
    { asked: { n: 128 }, each: 2 },
  ])('is for all answers together: $asked', async ({ asked, each }) => {
    await start({ free_output_tokens: 300 });
    const response = await ask(asked);
    expect(await bound(0)).toBe(each);
    const isLowered = (asked.max_tokens ?? 0) > each;
    expect(response.headers.get('x-svc-max-tokens')).toBe(isLowered ? String(each) : null);
  });

  test('leaves each of many answers a token at least', async () => {
    await start({ free_output_tokens: 100 });
    await ask({ n: 128 });
    expect(await bound(0)).toBe(1);
  });

  test('is 4,096 unless said, and none when it is off', async () => {
    await start({});
    await ask({ max_tokens: 20_000 });
    expect(await bound(0)).toBe(4_096);
    await gateway.apply((doc) => ({
      ...doc,
      models: [...doc.models, upModel('up-wide', { price: 'free', max_output_tokens: 50_000 })],
      guards: { free_output_tokens: null },
    }));
    await ask({ max_tokens: 20_000 });
    expect(await bound(1)).toBe(20_000);
    await ask({ max_tokens: 200_000, n: 2 });
    expect(await bound(2)).toBe(50_000);
  });
});

describe('free_in_flight', () => {
  async function holdOpen(count: number) {
    const gate = createGate();
    gateway.upstream.otherwise({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = Array.from({ length: count }, () => ask({}));
    return { gate, running };
  }

  test('is exact among fifty at once; the refused take no slot', async () => {
    await start({ free_in_flight: 4 });
    const { gate, running } = await holdOpen(50);
    await gateway.upstream.request(3);
    const ended: number[] = [];
    for (const call of running) call.then(({ status }) => ended.push(status));
    await eventually('all but four have ended', () => ended.length >= 46, 20_000);
    expect(ended).toEqual(Array(46).fill(429));
    gate.open();
    const statuses = (await Promise.all(running)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(await usedToday()).toBe(4);
  });

  test('is not there when it is off', async () => {
    await start({ free_in_flight: null });
    const { gate, running } = await holdOpen(40);
    await gateway.upstream.request(39);
    gate.open();
    expect(new Set((await Promise.all(running)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});
