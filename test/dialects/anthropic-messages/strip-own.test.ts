// What earlier translations left in a messages history stays away from the vendor; the rest keeps its bytes.

import { expect, test } from 'bun:test';
import { stripOwn } from '../../../src/dialects/anthropic-messages/remove-thinking.ts';
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

const BASE64 = (value: string) => Buffer.from(value).toString('base64');
const PACKED = packReasoning(ORIGIN, { text: '', signature: 's?>~' });

test.each([
  ['a signature', signOwn(ORIGIN, 'hm')],
  ['packed', PACKED],
  ['packed, padded by one', packReasoning(ORIGIN, { text: '', signature: 's0' })],
  ['packed, padded by two', packReasoning(ORIGIN, { text: '', signature: 's00' })],
])('either of them in base64, with and without its padding: %s', (_, value) => {
  for (const signature of [BASE64(value), BASE64(value).replaceAll('=', '')]) {
    expect(strip(JSON.stringify({ type: 'thinking', thinking: 'hm', signature }))).toEqual([]);
    expect(strip(JSON.stringify({ type: 'redacted_thinking', data: signature }))).toEqual([]);
  }
});

test.each([
  ['nothing after the mark', BASE64('svc1.')],
  ['bytes that we never write', BASE64('svc1.\u0001\u0002')],
  ['words that we never write', BASE64('svc1. is what it says')],
  ['one part too many', BASE64('svc1.a.b.c')],
  ['encoded twice', BASE64(BASE64(PACKED))],
  ['padding in its middle', `${BASE64(PACKED)}=${BASE64(PACKED)}`],
  ['a letter of no alphabet', `${BASE64(PACKED).replaceAll('=', '')}.`],
  ['a space in it', BASE64(PACKED).replace(/^(.{12})/, '$1 ')],
  ["another vendor's, which begins alike", `c3ZjMSU${BASE64('whatever it is')}`],
])('but nothing that is not exactly that: %s', (_, signature) => {
  const theirs = [
    { type: 'thinking', thinking: 'hm', signature },
    { type: 'redacted_thinking', data: signature },
  ];
  const content = theirs.map((block) => JSON.stringify(block)).join(',');
  expect(strip(content)).toEqual([{ role: 'assistant', content: theirs }]);
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
