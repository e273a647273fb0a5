// A picture that a model made, for a client whose format has no place for it: it stands in the text, and is none. It is not
// counted as words, and nobody is asked to go on behind it, as with pictures in a client's own format.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { weighTokens, wholeTokens } from '../../src/kit/tokens.ts';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import type { Part, Script } from '../support/script.ts';
import { upstreamUrl } from '../support/test-document.ts';
import { geminiChunk } from './gemini-replies.ts';
import { openaiChunk } from './openai-replies.ts';
import { CLIENTS, PAIRS, replyScript, requestOf, UPSTREAMS, type UpstreamName } from './sides.ts';

const DATA = Buffer.alloc(20_000, 7).toString('base64');
const ADDRESS = `data:image/png;base64,${DATA}`;
const MARKDOWN = `![image](${ADDRESS})`;
const IMAGES = [{ type: 'image_url', image_url: { url: ADDRESS } }];
const INLINE = { inlineData: { mimeType: 'image/png', data: DATA } };
const PRICES = { input: 10_000n, output: 40_000n };

/** How an upstream says it: words, a picture, the end; and never what it used. */
interface Painter {
  /** Not one that thinks: what it may have thought is estimated by the time, which no test can know. */
  model?: string;
  whole(text: string): unknown;
  words(text: string): unknown;
  picture: unknown;
  end: readonly unknown[];
}

const PAINTERS: Partial<Record<UpstreamName, Painter>> = {
  openai: {
    whole: (content) => ({
      choices: [{ index: 0, message: { role: 'assistant', content, images: IMAGES }, finish_reason: 'stop' }],
    }),
    words: (content) => openaiChunk({ content }),
    picture: openaiChunk({ content: '', images: IMAGES }),
    end: [openaiChunk({}, 'stop'), '[DONE]'],
  },
  gemini: {
    model: 'gemini-3-pro-image',
    whole: (text) => geminiChunk([{ text }, INLINE], 'STOP', null),
    words: (text) => geminiChunk([{ text }], undefined, null),
    picture: geminiChunk([INLINE], undefined, null),
    end: [geminiChunk([], 'STOP', null)],
  },
};

const COUPLES = PAIRS.flatMap(([client, upstream]) => {
  const painter = PAINTERS[upstream];
  return painter ? [{ client, upstream, painter }] : [];
});

const NEVER = new Promise<never>(() => {});
const count = (text: string) => wholeTokens(weighTokens(text));

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    limits: { paid_per_minute: 10_000, in_flight: 500 },
    document: (standard) => {
      const base = upstreamUrl(standard).replace(/\/v1$/, '');
      const names = Object.keys(PAINTERS) as UpstreamName[];
      const made = names.map((name) => placesOf(name, base));
      return {
        ...standard,
        channels: [...standard.channels, ...made.flatMap(({ channels }) => channels)],
        models: [...standard.models, ...made.flatMap(({ models }) => models)],
      };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** Breakers are for a channel and a model: each test has a model of its own. */
const MODELS_EACH = 100;
let taken = 0;
/** One more than may be asked, whether or not the first is asked twice. */
const PLACES = ['first', 'second', 'third'];

/** `fresh`: a broken answer is asked for anew. `prefilled`: it is continued. */
function placesOf(name: UpstreamName, base: string) {
  const { channel } = UPSTREAMS[name];
  const model = PAINTERS[name]?.model ?? UPSTREAMS[name].model;
  const modelOf = (id: string, prefill: boolean) => ({
    id,
    max_output_tokens: 20_000,
    price: { input: 10, output: 40 },
    routes: PLACES.map((place, at) => ({
      channel: `${place}-${name}`,
      model: `${model}.${id}`,
      priority: at + 1,
      prefill,
    })),
  });
  return {
    channels: PLACES.map((place) => channel(`${place}-${name}`, base)),
    models: Array.from({ length: MODELS_EACH }, (_, at) => [
      modelOf(`fresh-${name}-${at}`, false),
      modelOf(`prefilled-${name}-${at}`, true),
    ]).flat(),
  };
}

/** The one usage record of the account, once the call is closed. */
async function record(): Promise<Answer> {
  const data = await eventually('the usage record', async () => {
    const told: Answer[] = (await gateway.get('/api/usage', account.key)).data;
    return told.length > 0 ? told : undefined;
  });
  expect(data).toHaveLength(1);
  expect(gateway.audit()).toEqual([]);
  return data[0] as Answer;
}

function expectCounted(bill: Answer, text: string): void {
  expect(bill).toMatchObject({ estimated: true, output_tokens: count(text) });
  expect(bill.input_tokens).toBeGreaterThan(0);
  const cost = BigInt(bill.input_tokens) * PRICES.input + BigInt(count(text)) * PRICES.output;
  expect(bill.cost_nano).toBe(cost.toString());
}

describe.each(COUPLES)('$client to $upstream', ({ client, upstream, painter }) => {
  const { body: bodyOf, readWhole, readStream } = CLIENTS[client];
  const { words, picture, end } = painter;
  const frames = (events: readonly unknown[]) => events.map(UPSTREAMS[upstream].frame);
  const streamOf = (parts: readonly Part[]): Script => ({
    ...replyScript(upstream, { stream: [] }, true),
    body: [...parts],
  });
  const ask = (id: string, stream: boolean, signal?: AbortSignal) => {
    const { path, body } = requestOf(client, bodyOf({ model: `${id}-${upstream}-${taken++}`, stream }));
    return gateway.call(path, { key: account.key, body, ...(signal ? { signal } : {}) });
  };

  test.each(['Here it is: ', ''])('whole: the words are counted (%p)', async (text) => {
    gateway.upstream.next(replyScript(upstream, { whole: painter.whole(text) }, false));
    const answer = (await (await ask('fresh', false)).json()) as Answer;
    expect(readWhole(answer).text).toBe(text + MARKDOWN);
    expectCounted(await record(), text);
  });

  test.each([
    ['among words', ['Here', ' it is: ', picture, ' Yes.'], 'Here it is:  Yes.'],
    ['twice and without a word', [picture, picture], ''],
  ])('streamed %s: the words are counted', async (_, said, text) => {
    const events = said.map((one) => (typeof one === 'string' ? words(one) : one));
    gateway.upstream.next(streamOf(frames([...events, ...end])));
    const told = readStream(await (await ask('fresh', true)).text());
    const shown = said.map((one) => (typeof one === 'string' ? one : MARKDOWN)).join('');
    expect(told).toMatchObject({ text: shown, complete: true, error: undefined });
    expectCounted(await record(), text);
  });

  test('the client left with it: the words are paid', async () => {
    const leaving = new AbortController();
    gateway.upstream.next(streamOf([...frames([words('Here: '), picture]), NEVER]));
    const response = await ask('fresh', true, leaving.signal);
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += new TextDecoder().decode(bytes);
      if (text.includes(DATA)) break;
    }
    leaving.abort();
    const bill = await record();
    expect(bill.status).toBe('client_gone');
    expectCounted(bill, 'Here: ');
  });

  test.each(['fresh', 'prefilled'])('it was sent and the stream broke: no other run is asked for (%s)', async (id) => {
    gateway.upstream.next(streamOf(frames([words('Here: '), picture])));
    const told = readStream(await (await ask(id, true)).text());
    expect(told.text).toBe(`Here: ${MARKDOWN}`);
    expect(told.error).toBeDefined();
    expect(gateway.upstream.requests).toHaveLength(1);
    expect(await record()).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
  });

  test.each([
    ['fresh', ['Here', ': ']],
    ['prefilled', [': ']],
  ])('a run that goes on brings it, and breaks: that was the last one (%s)', async (id, again) => {
    gateway.upstream.next(
      streamOf(frames([words('Here')])),
      streamOf(frames([...again.map((text) => words(text)), picture])),
    );
    const told = readStream(await (await ask(id, true)).text());
    expect(told.text).toBe(`Here: ${MARKDOWN}`);
    expect(told.error).toBeDefined();
    expect(gateway.upstream.requests).toHaveLength(2);
  });

  test.each([
    ['fresh', ['Here', ': ']],
    ['prefilled', [': ']],
  ])('a run that goes on brings it: the words are counted (%s)', async (id, again) => {
    gateway.upstream.next(
      streamOf(frames([words('Here')])),
      streamOf(frames([...again.map((text) => words(text)), picture, ...end])),
    );
    const told = readStream(await (await ask(id, true)).text());
    expect(told).toMatchObject({ text: `Here: ${MARKDOWN}`, complete: true, error: undefined });
    const counted = id === 'fresh' ? count('Here: ') : count('Here') + count(': ');
    expect(await record()).toMatchObject({ status: 'ok', estimated: true, output_tokens: counted });
  });
});
