// Thoughts in a chat stream that a second run continues: their signature comes, and no word comes twice, under either name
// and in a router's list of details.

import { describe, expect, test } from 'bun:test';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { readJsonObject } from '../../src/kit/json/json.ts';
import type { Answer } from '../support/answer.ts';
import { parseSse } from '../support/sse.ts';

const request = openaiChat.request.read(
  readJsonObject(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] })),
);

type Delta = Record<string, unknown>;

/** The deltas that the client gets of both runs; `mismatch` if the second is another answer. */
function run(first: readonly Delta[], second: readonly Delta[]): Answer[] | 'mismatch' {
  const writer = openaiChat.stream.createWriter(request, { keepText: false });
  const eventsOf = (deltas: readonly Delta[]) => {
    const reader = openaiChat.stream.createReader(request);
    const chunks = deltas.map((delta) => ({ id: 'x', choices: [{ index: 0, delta, finish_reason: null }] }));
    return chunks.flatMap((chunk) => reader.read({ event: undefined, data: JSON.stringify(chunk) }));
  };
  const sent = eventsOf(first).map((event) => writer.write(event));
  const continued = writer.continue('fresh');
  const more = eventsOf(second).map(continued.write);
  if (more.includes('mismatch')) return 'mismatch';
  return parseSse([...sent, ...more].join('')).map(({ json }) => json.choices[0].delta);
}

const TEXT = 'reasoning.text';
const signature: Delta = { reasoning_details: [{ type: TEXT, index: 0, signature: 'SIG' }] };

describe.each(['reasoning', 'reasoning_content'])('%s', (name) => {
  const thought = (text: string, field = 'text'): Delta => ({
    [name]: text,
    reasoning_details: [{ type: TEXT, index: 0, [field]: text }],
  });

  test.each(['text', 'summary'])('what is new of a chunk is new of the %s of its details', (field) => {
    const said = [thought('Let', field), thought(' me think', field), signature, { content: 'Hi' }];
    expect(run([thought('Let me ', field)], said)).toEqual([
      thought('Let me ', field),
      thought('think', field),
      signature,
      { content: 'Hi' },
    ]);
  });

  test('several details are cut where the thoughts are', () => {
    const list = (...texts: string[]) => texts.map((text, index) => ({ type: TEXT, index, text }));
    const second = [{ [name]: 'Let me think', reasoning_details: list('Let', ' me ', 'think') }];
    expect(run([thought('Let m')], second)).toEqual([
      thought('Let m'),
      {
        [name]: 'e think',
        reasoning_details: [
          { type: TEXT, index: 1, text: 'e ' },
          { type: TEXT, index: 2, text: 'think' },
        ],
      },
    ]);
  });

  test('details in other words cannot be cut', () => {
    const second = [{ [name]: 'Let me think', reasoning_details: [{ type: 'reasoning.encrypted', data: 'QUJD' }] }];
    expect(run([thought('Let me ')], second)).toBe('mismatch');
  });

  test('a signature is not sent again with thoughts that were whole', () => {
    const said = [thought('Let me think'), signature, { content: 'Hi' }];
    const whole = run(said, [...said, { content: ' there' }]);
    expect(whole).toEqual([...said, { content: ' there' }]);
  });
});
