// What is ours in a request is found wherever it can stand, in short strings and in long ones.

import { describe, expect, test } from 'bun:test';
import { stripOwn as stripMessages } from '../../../src/dialects/anthropic-messages/remove-thinking.ts';
import { stripOwn as stripChat } from '../../../src/dialects/openai-chat/write-request.ts';
import { packReasoning, signOwn, tagToolId } from '../../../src/dialects/translate/opaque.ts';
import { editMembers, readJsonObject } from '../../../src/kit/json/json.ts';

const ORIGIN = '0123456789';
const LONG = 'words '.repeat(2_000);
const tag = tagToolId('', { origin: ORIGIN, value: 'v'.repeat(20) });
const longTag = tagToolId('', { origin: ORIGIN, value: 'v'.repeat(9_000) });
const packed = packReasoning(ORIGIN, { text: LONG, redacted: 'x' });
const coded = Buffer.from(packed).toString('base64');

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
  const owned = { model: 'm', n: 2, last: undefined };

  test.each([
    ['chat', stripChat, CHAT(`c1${tag}`, ''), CHAT('c1', '')],
    ['chat with a long tag', stripChat, CHAT(`c1${longTag}`, ''), CHAT('c1', '')],
    ['messages', stripMessages, MESSAGES(`c1${tag}`, ''), MESSAGES('c1', '')],
    ['messages with a long tag', stripMessages, MESSAGES(`c1${longTag}`, ''), MESSAGES('c1', '')],
  ])('%s', (_, stripOwn, sent, expected) => {
    const stripped = stripOwn(readJsonObject(sent));
    expect(stripped.text).toBe(expected);
    expect(stripped.value).toEqual(readJsonObject(expected).value);
    expect(editMembers(stripped, owned)).toBe(editMembers(readJsonObject(expected), owned));
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
      const stripped = stripMessages(readJsonObject(sent));
      expect(stripped.value).toMatchObject({ messages: [{}, { content: [{ type: 'text' }] }] });
      expect(stripped.text).not.toContain(signature);
    }
  });

  test('a text full of them, as large as a body may be, stays as it is', () => {
    const text = `${tag}`.repeat(400_000);
    const body = {
      messages: [
        { role: 'user', content: `${text}.` },
        { role: 'tool', tool_call_id: `${text}.` },
      ],
    };
    const document = readJsonObject(JSON.stringify(body));
    expect(stripChat(document)).toBe(document);
  });
});
