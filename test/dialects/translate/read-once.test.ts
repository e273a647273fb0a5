// However many routes a request may take, its conversation is read once.

import { expect, test } from 'bun:test';
import { carry } from '../../../src/dialects/carry.ts';
import { openaiChat } from '../../../src/dialects/openai-chat/dialect.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import type { Endpoint } from '../../../src/vendors/endpoints.ts';
import { quirksOf } from '../../../src/vendors/quirks.ts';

test('a second route takes the conversation of the first', () => {
  const document = readJsonObject('{"model":"m","messages":[{"role":"user","content":"Hi"}]}');
  let reads = 0;
  const counted = {
    ...document,
    get text() {
      reads++;
      return document.text;
    },
  };
  const request = openaiChat.request.read(counted);
  const from = { requestId: 'r', createdAt: 1, hashUser: (id: string) => id, isFree: false };
  const to = (endpoint: Endpoint) => ({
    channel: { quirks: quirksOf(undefined) },
    endpoints: [endpoint],
    model: 'm',
    prefill: false,
  });
  const before = reads;
  const first = carry(openaiChat, request, to('messages'), from);
  expect(reads).toBe(before + 1);
  const second = carry(openaiChat, request, to('responses'), from);
  expect(reads).toBe(before + 1);
  for (const carrier of [first, second]) {
    const written = String(carrier.writeRequest({ model: 'm', maxOutputTokens: 5 } as never, undefined));
    expect(written).toContain('Hi');
  }
});
