// Images that nobody asked for: what is left of the answer, and how many the operator pays for.

import { expect, test } from 'bun:test';
import { openaiImages } from '../../../src/dialects/openai-images/dialect.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';

const requestFor = (n: number) =>
  openaiImages.request.read(readJsonObject(JSON.stringify({ model: 'm', prompt: 'a cat', n })));
const IMAGE = { b64_json: 'QUJD' };
const answer = (count: number) => readJsonObject(JSON.stringify({ data: Array(count).fill(IMAGE) }));

test.each([
  [1, 1, undefined],
  [1, 15, 14],
  [3, 2, undefined],
  [3, 4, 1],
])('a whole answer for n: %d has %d: surplus %p', (n, came, surplus) => {
  const facts = openaiImages.answer.read(answer(came), requestFor(n));
  expect(facts?.output.images).toBe(Math.min(n, came));
  expect(facts?.output.surplusImages).toBe(surplus as never);
});

test('a stream counts what comes after the last image that was asked for', () => {
  const reader = openaiImages.stream.createReader(requestFor(1));
  const data = JSON.stringify({ type: 'image_generation.completed', ...IMAGE });
  const kinds = [1, 2, 3].flatMap(() => reader.read({ event: undefined, data })).map(({ kind }) => kind);
  expect(kinds).toEqual(['held']);
  expect(reader.facts().output).toMatchObject({ images: 1, surplusImages: 2 });
});
