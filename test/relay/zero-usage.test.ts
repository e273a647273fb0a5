// Reports of usage that cannot be true of the answer beside them, in every format: they are not billed as they are.

import { describe, expect, test } from 'bun:test';
import { useAllFormats } from '../support/all-formats.ts';
import { PICTURE, VECTOR } from '../support/media-answers.ts';
import { jsonScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

const setting = useAllFormats({ '': { price: { input: 10, output: 40 } } });

async function recordOf(path: string, body: Record<string, unknown>, answer: Script) {
  setting.upstream.otherwise(answer);
  const response = await setting.gateway.call(path, { key: setting.key, body });
  await response.text();
  expect(response.status).toBe(200);
  const { data } = await setting.gateway.get('/api/usage', setting.key);
  const [record] = data;
  const alarms = setting.gateway.log
    .alarms('usage_invalid')
    .filter(({ request_id }) => request_id === record.request_id);
  return { record, alarms };
}

describe.each(WIRE_CLIENTS)('$name', ({ name, call, whole, stream: streamed }) => {
  describe.each([false, true])('stream: %p', (stream) => {
    const make = stream ? streamed : whole;
    const ask = (saying: Parameters<typeof make>[0]) => {
      const { path, body } = call({ model: name, stream, max_tokens: 1_000 });
      return recordOf(path, body, make(saying));
    };

    test('zeros beside output count as absent', async () => {
      const { record, alarms } = await ask({ tokens: { input: 0, output: 0 } });
      expect(record.estimated).toBe(true);
      expect(record.input_tokens).toBeGreaterThan(0);
      expect(record.output_tokens).toBeGreaterThan(0);
      expect(alarms).toEqual([]);
    });

    test('zeros without output are zeros', async () => {
      const { record } = await ask({ pieces: [], tokens: { input: 0, output: 0 } });
      expect(record).toMatchObject({ estimated: false, input_tokens: 0, output_tokens: 0, cost_nano: '0' });
    });

    test('one token for a long answer is invalid', async () => {
      const { record, alarms } = await ask({ pieces: ['word '.repeat(300)], tokens: { input: 9, output: 1 } });
      expect(record.estimated).toBe(true);
      expect(record.output_tokens).toBeGreaterThan(200);
      expect(alarms).toHaveLength(1);
    });

    test('a count that is small is a count', async () => {
      const { record } = await ask({ pieces: ['Yes'], tokens: { input: 9, output: 1 } });
      expect(record).toMatchObject({ estimated: false, input_tokens: 9, output_tokens: 1 });
    });
  });
});

test('zeros for vectors count as absent', async () => {
  const data = [{ object: 'embedding', index: 0, embedding: VECTOR }];
  const answer = jsonScript(200, { object: 'list', data, model: 'x', usage: { prompt_tokens: 0, total_tokens: 0 } });
  const { record } = await recordOf('/v1/embeddings', { model: 'embeddings', input: 'Hello there' }, answer);
  expect(record.estimated).toBe(true);
  expect(record.input_tokens).toBeGreaterThan(0);
});

test('the total of a report on vectors says nothing of an output', async () => {
  const data = [{ object: 'embedding', index: 0, embedding: VECTOR }];
  const answer = jsonScript(200, { object: 'list', data, model: 'x', usage: { prompt_tokens: 4, total_tokens: 9 } });
  const { record } = await recordOf('/v1/embeddings', { model: 'embeddings', input: 'Hello there' }, answer);
  expect(record).toMatchObject({ estimated: false, input_tokens: 4, output_tokens: 0 });
});

test('zeros for an image count as absent', async () => {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const answer = jsonScript(200, { created: 1, data: [{ b64_json: PICTURE }], usage });
  const { record } = await recordOf('/v1/images/generations', { model: 'images', prompt: 'A cat' }, answer);
  expect(record.estimated).toBe(true);
  expect(record.input_tokens).toBeGreaterThan(0);
});
