// What is ours in a request is found wherever it can stand: in short strings, and at either end of long ones.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { stripOwn as stripMessages } from '../../../src/dialects/anthropic-messages/strip-own.ts';
import { stripOwn as stripChat } from '../../../src/dialects/openai-chat/strip-own.ts';
import { packReasoning, tagToolId } from '../../../src/dialects/translate/opaque.ts';
import { readJsonObject } from '../../../src/kit/json.ts';
import { readRequestJson } from '../../../src/kit/request-json.ts';

const ORIGIN = '0123456789';
const LONG = 'words '.repeat(2_000);
const tag = tagToolId('', { origin: ORIGIN, value: 'v'.repeat(20) });
const longTag = tagToolId('', { origin: ORIGIN, value: 'v'.repeat(9_000) });
const packed = packReasoning(ORIGIN, { text: LONG, redacted: 'x' });

const strings = fc
  .array(fc.constantFrom(LONG, tag, longTag, packed, 'svc1', 'svc1.', `${tag}"`, `${tag}.`, 'a', '-', '"', '你'), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
const block = fc.oneof(
  strings.map((text) => ({ type: 'text', text })),
  strings.map((data) => ({ type: 'redacted_thinking', data })),
  strings.map((signature) => ({ type: 'thinking', thinking: 'hm', signature })),
  strings.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
);
const body = fc
  .array(fc.tuple(fc.array(block, { maxLength: 3 }), strings), { minLength: 1, maxLength: 3 })
  .map((turns) => ({
    model: 'm',
    messages: turns.flatMap(([content, id]) => [
      { role: 'assistant', content, tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: LONG },
    ]),
  }));

describe.each([
  ['chat', stripChat],
  ['messages', stripMessages],
])('%s', (_, stripOwn) => {
  test('bytes lose what the text loses', () => {
    fc.assert(
      fc.property(body, (value) => {
        const text = JSON.stringify(value);
        const sent = new TextEncoder().encode(text);
        // A longer body is read as a text.
        fc.pre(sent.length <= 256 * 1024);
        const bytes = readRequestJson(sent);
        expect(bytes.outline).toBeDefined();
        expect(stripOwn(bytes).text).toBe(stripOwn(readJsonObject(text)).text);
      }),
      { numRuns: 300 },
    );
  });

  test('long strings without anything of ours stay bytes', () => {
    const text = JSON.stringify({ messages: [{ role: 'user', content: `${LONG}svc1 and more` }] });
    const document = readRequestJson(new TextEncoder().encode(text));
    expect(stripOwn(document)).toBe(document);
  });
});
