// What is ours in a request is found wherever it can stand: in short strings, and at either end of long ones.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { stripOwn as stripMessages } from '../../../src/dialects/anthropic-messages/strip-own.ts';
import { stripOwn as stripChat } from '../../../src/dialects/openai-chat/strip-own.ts';
import { packReasoning, signOwn, tagToolId } from '../../../src/dialects/translate/opaque.ts';
import { editMembers, readJsonObject } from '../../../src/kit/json/json.ts';
import { readRequestJson } from '../../../src/kit/json/request-json.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const ORIGIN = '0123456789';
const LONG = 'words '.repeat(2_000);
const tag = tagToolId('', { origin: ORIGIN, value: 'v'.repeat(20) });
const longTag = tagToolId('', { origin: ORIGIN, value: 'v'.repeat(9_000) });
const packed = packReasoning(ORIGIN, { text: LONG, redacted: 'x' });
const coded = Buffer.from(packed).toString('base64');

const pieces = [
  ...[LONG, tag, longTag, packed, coded],
  ...['c3ZjMS4', 'svc1', 'svc1.', `${tag}"`, `${tag}.`, 'a', '-', '"', '你'],
];
const strings = fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((parts) => parts.join(''));
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
      { numRuns: 300, seed: 7 },
    );
  });

  test('long strings without anything of ours stay bytes', () => {
    const text = JSON.stringify({ messages: [{ role: 'user', content: `${LONG}svc1 and more` }] });
    const document = readRequestJson(new TextEncoder().encode(text));
    expect(stripOwn(document)).toBe(document);
  });
});

// What looks like an id of ours in the client's own words, and every byte that JSON allows but nobody would write.
const TEXT = `What does the tail of this id mean: c1${tag}`;
const OWN_WORDS = `"system" : "${TEXT}", "n":1.0e0,"tools":[{"description":"${TEXT}","s":{"enum":["${TEXT}"]}}] , "big":12345678901234567890`;
const CHAT = (id: string, extra: string) =>
  `{ ${OWN_WORDS},"messages" : [ {"role":"user","content":"${TEXT}","id":"${TEXT}"},
  {"role":"assistant","tool_calls":[ {"id":"${id}" ,"type":"function"${extra},"function":{"name":"f","arguments":"{\\"a\\":\\"${TEXT}\\",\\u0062:1}"}}]},
  {"role":"tool","tool_call_id": "${id}","content":[{"type":"text","text":"${TEXT}"}]}],"last":"${TEXT}"}`;
const MESSAGES = (id: string, thinking: string) =>
  `{ ${OWN_WORDS},"messages" : [ {"role":"user","content":"${TEXT}"},
  {"role":"assistant","content":[${thinking}{"type":"tool_use","id":"${id}" ,"input":{"id":"${TEXT}","n":1.0}},{"type":"text","id":"${TEXT}","text":"${TEXT}"}]},
  {"role":"user","content":[ {"type":"tool_result","content":[{"type":"text","text":"${TEXT}","tool_use_id":"${TEXT}"}],"tool_use_id": "${id}"}]}],"last":"${TEXT}"}`;

describe('only ids lose it', () => {
  const asBytes = (text: string) => readRequestJson(new TextEncoder().encode(text));
  const owned = { model: 'm', n: 2, last: undefined };

  test.each([
    ['chat', stripChat, CHAT(`c1${tag}`, ''), CHAT('c1', '')],
    ['chat with a long tag', stripChat, CHAT(`c1${longTag}`, ''), CHAT('c1', '')],
    ['messages', stripMessages, MESSAGES(`c1${tag}`, ''), MESSAGES('c1', '')],
    ['messages with a long tag', stripMessages, MESSAGES(`c1${longTag}`, ''), MESSAGES('c1', '')],
  ])('%s', (_, stripOwn, sent, expected) => {
    for (const document of [readJsonObject(sent), asBytes(sent)]) {
      const stripped = stripOwn(document);
      expect(stripped.text).toBe(expected);
      expect(stripped.value).toEqual(readJsonObject(expected).value);
      expect(editMembers(stripped, owned)).toBe(editMembers(readJsonObject(expected), owned));
    }
  });

  test('a document in which they stand nowhere else is the same', () => {
    for (const [stripOwn, sent] of [
      [stripChat, CHAT('c1', '')],
      [stripMessages, MESSAGES('c1', '')],
      [stripChat, CHAT('my-svc1-id', '')],
      [stripMessages, MESSAGES('my-svc1-id', '')],
    ] as const) {
      const document = readJsonObject(sent);
      expect(stripOwn(document)).toBe(document);
    }
  });

  test('what stands beside them, too, and no other byte', () => {
    const extra = ',"extra_content":{"google":{"thought_signature":"s"}}';
    expect(stripChat(readJsonObject(CHAT(`c1${tag}`, extra))).text.replace(/\s/g, '')).toBe(
      CHAT('c1', '').replace(/\s/g, ''),
    );
    expect(stripChat(readJsonObject(CHAT('c1', extra))).text).toBe(CHAT('c1', extra));
    for (const data of [packed, coded]) {
      const own = `{"type":"redacted_thinking","data":"${data}"},`;
      expect(stripMessages(readJsonObject(MESSAGES(`c1${tag}`, own))).text).toBe(MESSAGES('c1', ''));
    }
  });

  test('thinking in base64 of what we wrote is found without another word of ours, short or long', () => {
    const short = Buffer.from(signOwn(ORIGIN, 'hm')).toString('base64');
    for (const signature of [short, coded]) {
      const sent = JSON.stringify({
        messages: [
          { role: 'user', content: LONG },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature },
              { type: 'text', text: 'a' },
            ],
          },
        ],
      });
      for (const document of [readJsonObject(sent), asBytes(sent)]) {
        expect(stripMessages(document).value).toMatchObject({ messages: [{}, { content: [{ type: 'text' }] }] });
        expect(stripMessages(document).text).not.toContain(signature);
      }
    }
  });

  test('a text full of them, as large as a body may be, takes no longer than a look', () => {
    const text = `${tag}`.repeat(400_000);
    const body = {
      messages: [
        { role: 'user', content: `${text}.` },
        { role: 'tool', tool_call_id: `${text}.` },
      ],
    };
    const document = readJsonObject(JSON.stringify(body));
    expect(cpuMs(() => expect(stripChat(document)).toBe(document))).toBeLessThan(2_000);
  });
});
