// A client's trace goes on to whatever upstream serves its call, with a span of ours, and into our log.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { messageAnswer } from '../support/anthropic-messages.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { geminiAnswer } from '../support/gemini.ts';
import type { LogLine } from '../support/log-capture.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { UPSTREAM_KEY, upModel, upstreamUrl } from '../support/test-document.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`;

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => {
      const base = upstreamUrl(doc);
      const channel = (kind: string) => ({ name: kind, kind, base_url: base, api_key: UPSTREAM_KEY });
      return {
        ...doc,
        channels: [...doc.channels, channel('anthropic'), channel('gemini')],
        models: [
          ...doc.models,
          ...['anthropic', 'gemini'].map((kind) =>
            upModel(`by-${kind}`, { price: 'free', routes: [{ channel: kind, model: 'scripted-2026-01' }] }),
          ),
        ],
      };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

async function chat(model: string, headers: Record<string, string>, rest: Record<string, unknown> = {}) {
  const response = await gateway.chat(key, { model, max_tokens: 20, ...rest }, { headers });
  await response.text();
  expect(response.status).toBe(200);
  const id = response.headers.get('x-request-id');
  const isOwn = ({ event, request_id }: LogLine) => event === 'request' && request_id === id;
  const logged = await eventually('its line in the log', () => gateway.log.lines().find(isOwn));
  const seen = gateway.upstream.requests.map(({ headers: { traceparent } }) => traceparent);
  return { seen, traceId: logged.trace_id };
}

describe('to every kind of upstream', () => {
  test.each([
    ['openai', 'up-free', {}, chatAnswer],
    ['openai, streamed', 'up-free', { stream: true }, chatStream],
    ['anthropic', 'by-anthropic', {}, messageAnswer],
    ['gemini', 'by-gemini', {}, geminiAnswer],
  ])('%s', async (_, model, rest, answer) => {
    gateway.upstream.next(answer());
    const { seen, traceId } = await chat(model, { traceparent: TRACEPARENT, tracestate: 'vendor=1' }, rest);
    expect(traceId).toBe(TRACE);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(seen[0]).not.toContain(SPAN);
    // Vendors write there what they like.
    expect(gateway.upstream.requests[0]?.headers.tracestate).toBeUndefined();
  });
});

test('a second try belongs to the same call, and so does its span; another call has another', async () => {
  gateway.upstream.next(errorScript(500, { message: 'once' }), chatAnswer(), chatAnswer());
  const { seen } = await chat('up-free', { traceparent: TRACEPARENT });
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBe(seen[1]);
  const next = await chat('up-free', { traceparent: TRACEPARENT });
  expect(next.seen[2]).not.toBe(seen[0]);
});

test.each([undefined, 'nonsense', `00-${'0'.repeat(32)}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01, ${TRACEPARENT}`])(
  'without a valid one (%s) there is none, and nothing in the log',
  async (traceparent) => {
    gateway.upstream.next(chatAnswer());
    const { seen, traceId } = await chat('up-free', traceparent === undefined ? {} : { traceparent });
    expect(seen).toEqual([undefined]);
    expect(traceId).toBeUndefined();
  },
);
