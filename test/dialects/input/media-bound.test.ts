// The bound of media against what vendors bill for them: never below, or the input is open.

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { countInput, type InputCount } from '../../../src/dialects/input/count-input.ts';
import { upperAt } from '../../../src/dialects/input/estimated-input.ts';
import { type JsonObject, readJsonObject } from '../../../src/kit/json/json.ts';
import { boxes, gif, IMAGES, jpeg, OPEN_FILES, png, wave, webp } from '../../support/media-samples.ts';

interface Sample {
  bytes: Buffer;
  /** What vendors bill for it at most, by the model's name there. */
  billed: Readonly<Record<string, number>>;
}

const ANY = Number.POSITIVE_INFINITY;

/** Patches of so many pixels, up to a most. */
const patches = (width: number, height: number, side: number, each: number, most: number) =>
  Math.min(most, Math.ceil(Math.ceil(width / side) * Math.ceil(height / side) * each));

/** Tiles of 512 pixels, after the image was made to fit 2,048 and its shorter side 768. */
function tiles(width: number, height: number, base: number, each: number): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const [across, down] = [width, height].map((side) => Math.ceil((side * fit * short) / 512));
  return base + (across ?? 1) * (down ?? 1) * each;
}

const imageBills = (width: number, height: number) => ({
  'gpt-4o': tiles(width, height, 85, 170),
  'gpt-4o-mini': tiles(width, height, 2_833, 5_667),
  'gpt-5.6-sol': patches(width, height, 32, 1.2, 36_000),
  'claude-sonnet-5': Math.min(4_784, Math.ceil((width * height) / 750)),
  'gemini-3-pro': 258 * Math.min(16, Math.ceil(width / 768) * Math.ceil(height / 768)),
  'qwen3-vl': patches(width, height, 28, 1, 16_384),
});

const side = fc.integer({ min: 1, max: 20_000 });
const pictures = fc
  .tuple(side, side, fc.boolean())
  .map(([w, h, isPng]): Sample => ({ bytes: isPng ? png(w, h) : jpeg(w, h), billed: imageBills(w, h) }));
const waves = fc
  .record({
    seconds: fc.integer({ min: 0, max: 3 }),
    channels: fc.integer({ min: 1, max: 2 }),
    samples: fc.constantFrom(1, 100, 8_000, 16_000, 48_000),
    bits: fc.constantFrom(8, 16, 32),
    told: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
  })
  .map(({ seconds, told, ...head }): Sample => {
    const bytes = wave(seconds, { ...head, ...(told === undefined ? {} : { told }) });
    return { bytes, billed: { 'gemini-3-pro': 32 * seconds, 'gpt-4o-audio': 10 * seconds } };
  });
const texts = fc.string({ unit: 'binary', minLength: 1 }).map((text): Sample => {
  const bytes = Buffer.from(text);
  return { bytes, billed: { 'gpt-4o': bytes.length, 'claude-sonnet-5': bytes.length } };
});
const films = fc
  .constantFrom(...Object.values(OPEN_FILES), gif(40), webp(true), boxes('avif', 'moof'))
  .map((bytes): Sample => ({ bytes, billed: { 'gemini-3-pro': ANY } }));

const PARTS: readonly ((data: string, label: string) => JsonObject)[] = [
  (data, label) => ({ type: 'image_url', image_url: { url: `data:${label};base64,${data}` } }),
  (data) => ({ type: 'image_url', image_url: data }),
  (data, label) => ({ type: 'input_image', image_url: `data:${label};base64,${data}`, detail: 'auto' }),
  (data, label) => ({ type: 'image', source: { type: 'base64', media_type: label, data } }),
  (data, label) => ({ type: 'document', source: { type: 'base64', media_type: label, data } }),
  (data, label) => ({ type: 'file', file: { filename: 'a.bin', file_data: `data:${label};base64,${data}` } }),
  (data) => ({ type: 'input_file', filename: 'a.txt', file_data: data }),
  (data) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } }),
  (data) => ({ type: 'input_video', data }),
  (data, label) => ({
    type: 'tool_result',
    tool_use_id: 't',
    content: [{ type: 'document', source: { type: 'base64', media_type: label, data } }],
  }),
  (data, label) => ({
    type: 'web_fetch_tool_result',
    tool_use_id: 't',
    content: {
      type: 'web_fetch_result',
      url: 'https://x.test',
      content: { type: 'document', source: { type: 'base64', media_type: label, data } },
    },
  }),
];
const LABELS = ['', 'image/png', 'image/jpeg', 'text/plain', 'application/pdf', 'audio/wav', 'video/mp4'];

function count(part: object): InputCount {
  const messages = [{ role: 'user', content: [part as JsonObject] }];
  return countInput(readJsonObject(JSON.stringify({ model: 'm', messages })), messages);
}

test('is never below what a vendor bills', () => {
  const samples = fc.oneof(pictures, waves, texts, films);
  fc.assert(
    fc.property(samples, fc.constantFrom(...PARTS), fc.constantFrom(...LABELS), ({ bytes, billed }, part, label) => {
      const input = count(part(bytes.toString('base64'), label));
      if (input.isOpen) {
        expect(input.unseen).toBeDefined();
        return;
      }
      for (const [model, tokens] of Object.entries(billed)) {
        expect(upperAt(input, model, false)).toBeGreaterThanOrEqual(tokens);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each(Object.entries(IMAGES))('of an image stays that of an image: %s', (_, bytes) => {
  const url = `data:image/png;base64,${bytes.toString('base64')}`;
  const input = count({ type: 'image_url', image_url: { url } });
  expect(input.isOpen).toBe(false);
  expect(input.upper).toBeWithin(5_000, 5_200);
});

test('of speech is some tens of tokens a second, not one for every three bytes', () => {
  const data = wave(60, { samples: 24_000 }).toString('base64');
  const input = count({ type: 'input_audio', input_audio: { data, format: 'wav' } });
  expect(input.isOpen).toBe(false);
  expect(input.upper).toBeWithin(60 * 32, 60 * 400);
});

test.each([
  { type: 'input_file', filename: 'a.txt', file_data: 'SGVsbG8=', file_url: 'https://x.test/a.pdf' },
  { type: 'input_file', file_data: 'https://x.test/a.pdf' },
  { type: 'file', file: { file_data: 'https://x.test/a.pdf' } },
  { type: 'document', source: { type: 'url', data: 'SGVsbG8=', url: 'https://x.test/a.pdf' } },
  { type: 'document', source: { type: 'file', file_id: 'file_1' } },
  { type: 'input_audio', input_audio: { url: 'https://x.test/a.mp3' } },
])('is open where a file leads elsewhere: %j', (part) => {
  expect(count(part).isOpen).toBe(true);
});

test('is open for an earlier answer in sound, which only the upstream has', () => {
  const messages = [{ role: 'assistant', audio: { id: 'audio_1' } }];
  const document = readJsonObject(JSON.stringify({ model: 'm', messages }));
  expect(countInput(document, messages).isOpen).toBe(true);
});

test.each([
  { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
  { type: 'input_image', file_id: 'file-1' },
  { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
  { type: 'web_search_tool_result', tool_use_id: 't', content: [{ type: 'web_search_result', url: 'https://x.test' }] },
])('is not open for images by address or id, nor for addresses that are only named: %j', (part) => {
  expect(count(part).isOpen).toBe(false);
});
