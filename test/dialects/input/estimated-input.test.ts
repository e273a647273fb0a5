// Input of which no upstream has reported the size: what the client chooses must not lower it.

import { expect, test } from 'bun:test';
import { countInput } from '../../../src/dialects/input/count-input.ts';
import { estimatedInput } from '../../../src/dialects/input/estimated-input.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';

const CONTEXT = 128_000;
const MODEL = { contextTokens: CONTEXT, routes: [{ model: 'some-model' }] };

function estimate(part: object, toolInput?: number): number {
  const message = { role: 'user', content: [{ type: 'text', text: 'Summarise this.' }, part] };
  const document = readJsonObject(JSON.stringify({ model: 'm', input: [message] }));
  return estimatedInput(countInput(document, [message] as never), MODEL, toolInput);
}

test.each([
  { type: 'input_file', file_url: 'https://x.test/a.pdf' },
  { type: 'input_file', file_id: 'file-1' },
  { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
  { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' } },
])('is the context where the size of a part is unknown: %j', (part) => {
  expect(estimate(part)).toBe(CONTEXT);
});

test('is the estimate of the text where everything is in the request', () => {
  expect(estimate({ type: 'text', text: 'It is short.' })).toBeWithin(5, 40);
});

test('has what tools of the upstream brought, by what the answer shows', () => {
  const text = { type: 'text', text: 'It is short.' };
  expect(estimate(text, 8_000)).toBe(estimate(text) + 8_000);
});
