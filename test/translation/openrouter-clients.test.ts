// Clients of OpenRouter's format, such as its provider of the AI SDK, hand back of a detail only what that format knows. What
// a model thought comes back to it all the same, and never otherwise than it was.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { Said } from './said.ts';
import { CLIENTS, replyScript, UPSTREAMS, type UpstreamName } from './sides.ts';
import type { CaseOfPair } from './translation-case.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';

interface Place {
  upstream: UpstreamName;
  model?: string;
}

const CLAUDE: Place = { upstream: 'anthropic', model: 'claude-sonnet-4-5' };
const OTHER_CLAUDE: Place = { upstream: 'anthropic', model: 'claude-opus-4-8' };
const SEALED: Place = { upstream: 'openai-responses', model: 'gpt-5-mini' };
const CHAT: Place = { upstream: 'openai' };

const asCase = ({ upstream, ...rest }: Place): CaseOfPair => ({
  case: { name: 'a client of OpenRouter', ...rest },
  client: 'chat',
  upstream,
});

let setting: TranslationGateway;
beforeAll(async () => {
  setting = await startTranslationGateway([CLAUDE, OTHER_CLAUDE, SEALED, CHAT].map(asCase));
});
afterAll(() => setting.stop());

const THINKING: Said = {
  reasoning: ['Let me', ' look. 早'],
  signature: 'c2lnbmVk+/=',
  text: ['Looking.'],
  calls: [{ id: 'toolu_1', name: 'look', arguments: ['{"a":1}'] }],
};
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const GO = { role: 'user', content: 'Go' };

async function ask(place: Place, messages: object[], script: ReturnType<typeof replyScript>) {
  const { gateway, key } = setting;
  gateway.upstream.reset();
  gateway.upstream.otherwise(script);
  const body = { model: setting.modelOf(asCase(place)), tools: TOOLS, reasoning: { effort: 'high' }, messages };
  const response = await gateway.call(CLIENTS.chat.path, { key, body: CLIENTS.chat.body(body) });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { json: sent, body: raw } = await gateway.upstream.request(0);
  return { answer: JSON.parse(text) as Answer, sent, raw };
}

/** The fields that the provider keeps. */
const KEPT = ['type', 'text', 'signature', 'data', 'id', 'format', 'index'];
const keep = (detail: Answer): Answer =>
  Object.fromEntries(Object.entries(detail).filter(([name]) => KEPT.includes(name)));

const says = ({ upstream }: Place) => replyScript(upstream, UPSTREAMS[upstream].says(THINKING), false);

/** The second turn, with what the client has made of the details. */
async function trip(from: Place, to: Place, { script = says(from), change = (details: Answer[]) => details } = {}) {
  const { answer } = await ask(from, [GO], script);
  const { message } = answer.choices[0];
  const { content, tool_calls, reasoning, reasoning_details } = message;
  const details = change(reasoning_details.map(keep));
  const said = { role: 'assistant', content, tool_calls, reasoning, reasoning_details: details };
  const result = { role: 'tool', tool_call_id: tool_calls[0].id, content: 'light' };
  return { ...(await ask(to, [GO, said, result], says(to))), details };
}

const thinking = (text: string, signature: string) => ({ type: 'thinking', thinking: text, signature });
const redacted = (data: string) => ({ type: 'redacted_thinking', data });
const WORDS = { type: 'text', text: 'Looking.' };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: 1 } };

function answerOf(content: object[]): ReturnType<typeof replyScript> {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', stop_sequence: null };
  const usage = { input_tokens: 5, output_tokens: 5 };
  return replyScript('anthropic', { whole: { ...head, content, stop_reason: 'tool_use', usage } }, false);
}

describe('what a model thought', () => {
  test('goes back to Claude with its signature', async () => {
    const { sent } = await trip(CLAUDE, CLAUDE);
    expect(sent.messages[1].content[0]).toEqual({
      type: 'thinking',
      thinking: 'Let me look. 早',
      signature: 'c2lnbmVk+/=',
    });
    expect(sent.thinking.type).toBe('enabled');
  });

  test('goes back sealed to a model that seals it', async () => {
    const { sent } = await trip(SEALED, SEALED);
    const [thought] = sent.input.filter(({ type }: Answer) => type === 'reasoning');
    expect(thought).toMatchObject({ encrypted_content: 'c2VhbGVk' });
  });

  test.each([OTHER_CLAUDE, SEALED, CHAT])('goes to no other model: %j', async (to) => {
    const { raw } = await trip(CLAUDE, to);
    for (const kept of ['c2lnbmVk', 'svc1', 'Let me look']) expect(raw).not.toContain(kept);
  });

  test('redacted goes back each by itself', async () => {
    const { details, sent } = await trip(CLAUDE, CLAUDE, {
      script: answerOf([redacted('cmVkMQ=='), redacted('cmVkMg=='), CALL]),
    });
    // The provider takes two with one id for the same.
    expect(new Set(details.map(({ id }) => id)).size).toBe(2);
    expect(sent.messages[1].content.slice(0, 2)).toEqual([redacted('cmVkMQ=='), redacted('cmVkMg==')]);
  });

  test('stays behind where it stood after words', async () => {
    const { sent } = await trip(CLAUDE, CLAUDE, {
      script: answerOf([thinking('First.', 'Zmlyc3Q='), WORDS, thinking('Later.', 'bGF0ZXI='), CALL]),
    });
    const thoughts = sent.messages[1].content.filter(({ type }: Answer) => type === 'thinking');
    expect(thoughts).toEqual([thinking('First.', 'Zmlyc3Q=')]);
  });

  test.each([
    ['joined with another', ([first, second]: Answer[]) => [{ ...first, text: first?.text + second?.text }]],
    ['changed beside one that is whole', ([first, second]: Answer[]) => [first, { ...second, text: 'Else.' }]],
  ])('stays behind where it was %s', async (_, change) => {
    const { sent, raw } = await trip(CLAUDE, CLAUDE, {
      script: answerOf([thinking('First.', 'Zmlyc3Q='), thinking('Second.', 'c2Vjb25k'), CALL]),
      change,
    });
    expect(sent.messages[1].content[0].type).not.toBe('thinking');
    for (const kept of ['Zmlyc3Q=', 'c2Vjb25k', 'svc1']) expect(raw).not.toContain(kept);
  });
});
