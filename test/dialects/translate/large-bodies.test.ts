// Requests and answers as large as they may be. How long they take is measured by bench/large-inputs.ts.

import { describe, expect, test } from 'bun:test';
import { anthropicMessages } from '../../../src/dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../../src/dialects/dialect.ts';
import { openaiChat } from '../../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../../src/dialects/openai-responses/dialect.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import type { Endpoint } from '../../../src/vendors/endpoints.ts';
import { refusedParam } from '../../support/conversation.ts';
import { carrierOf, many, writeRequest } from '../../support/write-request.ts';

const UPSTREAMS = ['chat', 'messages', 'gemini'] as const;

describe.each(UPSTREAMS)('to %s', (endpoint) => {
  const turns = many(10_000, () => ({ role: 'user', content: 'x' }));

  test.each<[name: string, dialect: Dialect, body: object]>([
    ['chat messages', openaiChat, { messages: turns }],
    ['messages', anthropicMessages, { messages: turns }],
    ['items', openaiResponses, { input: turns }],
  ])('%s of one role without end', (_, dialect, body) => {
    expect(writeRequest(dialect, body, endpoint).split('x').length).toBeGreaterThan(10_000);
  });

  test('chat calls whose arguments are objects', () => {
    const messages = many(4_000, (index) => [
      {
        role: 'assistant',
        tool_calls: [{ id: `c${index}`, function: { name: 'f', arguments: { a: 'x'.repeat(200) } } }],
      },
      { role: 'tool', tool_call_id: `c${index}`, content: 'y' },
    ]).flat();
    expect(writeRequest(openaiChat, { messages }, endpoint)).toContain('c3999');
  });
});

test.each<[name: string, dialect: Dialect, field: string, upstream: Endpoint]>([
  ['chat messages', openaiChat, 'messages', 'gemini'],
  ['messages', anthropicMessages, 'messages', 'chat'],
  ['items', openaiResponses, 'input', 'messages'],
])('%s beyond 10,000 are refused, unless nothing is translated', (_, dialect, field, upstream) => {
  const body = { [field]: many(10_001, () => ({ role: 'user', content: 'x' })) };
  expect(refusedParam(() => carrierOf(dialect, body, upstream))).toBe(field);
  expect(() => carrierOf(dialect, body, dialect.endpoint)).not.toThrow();
});

test.each(['chat', 'gemini'] as const)('stop sequences that would be watched for here, to %s', (endpoint) => {
  const refused = (stop_sequences: unknown) =>
    refusedParam(() =>
      carrierOf(anthropicMessages, { messages: [{ role: 'user', content: 'x' }], stop_sequences }, endpoint),
    );
  expect(refused(many(90_000, (index) => `s${index}`))).toBe('stop_sequences');
  expect(refused(many(10, () => 'x'.repeat(100_000)))).toBe('stop_sequences');
  expect(refused(['a', 5])).toBe('stop_sequences');
});

test('a whole chat answer of calls whose arguments are objects', () => {
  const calls = many(5_000, (index) => ({
    id: `c${index}`,
    function: { name: 'f', arguments: { a: 'x'.repeat(200) } },
  }));
  const choices = [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: calls } }];
  const carrier = carrierOf(anthropicMessages, { messages: [{ role: 'user', content: 'x' }] }, 'chat');
  const answer = carrier.readAnswer(readJsonObject(JSON.stringify({ choices })));
  expect(answer).toMatchObject({ facts: { output: { hasContent: true } } });
});

test('the size of an image is read once, however many routes ask for it', () => {
  const png = '89504e470d0a1a0a0000000d494844520000002000000020';
  const url = `data:image/png;base64,${Buffer.from(png, 'hex').toString('base64')}`;
  const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
  const request = openaiChat.request.read(readJsonObject(JSON.stringify({ model: 'm', max_tokens: 100, messages })));
  const [image] = request.input.images ?? [];
  const { size } = image ?? {};
  expect(size).toEqual({ width: 32, height: 32 });
  expect(image?.size).toBe(size);
});
