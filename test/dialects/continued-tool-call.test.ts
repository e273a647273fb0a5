// A tool call that a second run continues: the client keeps the id it has, even if the upstream repeats its own.

import { expect, test } from 'bun:test';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { readJsonObject } from '../../src/kit/json/json.ts';
import { parseSse } from '../support/sse.ts';

const request = openaiChat.request.read(
  readJsonObject(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] })),
);

const chunk = (id: string, call: Record<string, unknown>) =>
  JSON.stringify({
    id,
    created: 1,
    model: 'u',
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
  });
/** An upstream that says the id with every bit of the arguments. */
const callOf = (run: string, bits: readonly string[]) =>
  bits.map((bit, at) =>
    chunk(run, { id: `call_${run}`, function: { ...(at === 0 ? { name: 'look' } : {}), arguments: bit } }),
  );

test('no second id reaches the client, and the arguments are whole', () => {
  const writer = openaiChat.stream.createWriter(request, { keepText: false });
  const first = openaiChat.stream.createReader(request);
  let sent = '';
  for (const data of callOf('first', ['{"a":', '1'])) {
    for (const event of first.read({ event: undefined, data })) sent += writer.write(event);
  }

  const second = openaiChat.stream.createReader(request);
  const continued = writer.continue('fresh');
  for (const data of callOf('second', ['{"a"', ':1', '2', '}'])) {
    for (const event of second.read({ event: undefined, data })) {
      const frames = continued.write(event);
      expect(frames).not.toBe('mismatch');
      sent += frames;
    }
  }
  const calls = parseSse(sent).map(({ json }) => json.choices[0].delta.tool_calls[0]);
  expect(calls.map(({ function: { arguments: bit } }) => bit).join('')).toBe('{"a":12}');
  expect(new Set(calls.map(({ id }) => id).filter(Boolean))).toEqual(new Set(['call_first']));
  expect(calls.filter(({ function: { name } }) => name)).toHaveLength(1);
});
