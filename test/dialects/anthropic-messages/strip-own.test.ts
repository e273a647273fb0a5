// What earlier translations left in a messages history stays away from the vendor; the rest keeps its bytes.

import { expect, test } from 'bun:test';
import { stripOwn } from '../../../src/dialects/anthropic-messages/strip-own.ts';
import { packReasoning, signOwn, tagToolId } from '../../../src/dialects/translate/opaque.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';

const ORIGIN = '0123456789';
const strip = (content: string) => {
  const text = `{"a":1.0, "messages":[{"role":"assistant","content":[${content}]}]}`;
  return JSON.parse(stripOwn(readJsonObject(text)).text).messages;
};

test('thinking that we signed, or packed because only its maker can read it', () => {
  const own = [
    { type: 'thinking', thinking: 'hm', signature: signOwn(ORIGIN, 'hm') },
    { type: 'thinking', thinking: 'hm', signature: packReasoning(ORIGIN, { text: '', signature: 's' }) },
    { type: 'redacted_thinking', data: packReasoning(ORIGIN, { text: '', redacted: 'xyz' }) },
  ];
  const theirs = [
    { type: 'thinking', thinking: 'hm', signature: 'RXJ0aWZpY2lhbA==' },
    { type: 'redacted_thinking', data: 'RXJ0aWZpY2lhbA==' },
    { type: 'text', text: 'svc1.' },
  ];
  expect(strip([...own, ...theirs].map((block) => JSON.stringify(block)).join(','))).toEqual([
    { role: 'assistant', content: theirs },
  ]);
  expect(strip(JSON.stringify(own[0]))).toEqual([]);
});

test('what we hung on the ids of calls', () => {
  const id = tagToolId('c1', { origin: ORIGIN, value: 'v' });
  const [{ content }] = strip(`{"type":"tool_use","id":"${id}","name":"look","input":{}}`);
  expect(content[0].id).toBe('c1');
});

test('nothing else', () => {
  const text = '{"a":1.0, "messages":[{"role":"user","content":"svc1"}]}';
  expect(stripOwn(readJsonObject(text)).text).toBe(text);
});
