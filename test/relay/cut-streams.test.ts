// A stream cut at every byte: the client gets a fault, or a stream that says it broke, or all of it. Never a part that
// looks whole, and never a charge for one. `npm test` cuts at a share of the bytes, another one in each run, `npm run
// test:long` at all of them.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate } from '../support/eventually.ts';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { chatChunks, sseText } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { parseSse, type ServerEvent, sseEvents, textOf } from '../support/sse.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';

/** Long enough, as a rule, for the gateway to pass on what came before the cut. */
const PAUSE_MS = 3;
const PIECES = ['Hi', ' 你好', '🙂', '.'];
const TEXT = PIECES.join('');
const EVENTS = chatChunks({ pieces: PIECES }).map(({ choices, usage }) =>
  sseText(JSON.stringify({ choices, ...(usage ? { usage } : {}) })),
);
const STREAM = { headers: { 'content-type': 'text/event-stream' }, body: [...EVENTS, sseText('[DONE]')] };
const LENGTH = bodyLength(STREAM);
const endOf = (event: number) => Buffer.byteLength(EVENTS.slice(0, event + 1).join(''));
/** The end of the first event with text, and of the one with the finish. */
const BEGUN = endOf(1);
const FINISHED = endOf(PIECES.length + 1);
/** The last bytes are where a part looks most like the whole: they are cut in every run. */
const LAST_BYTES = 40;
const SHARE = IS_LONG_RUN ? 1 : 3;
const CUTS = Array.from({ length: LENGTH + 1 }, (_, at) => at).filter(
  (at) => at > LENGTH - LAST_BYTES || (at + RUN_SEED) % SHARE === 0,
);
/** Where the end of the connection is the end of the body, the last event needs no empty line. */
const EMPTY_LINE = '\n\n'.length;

const FORMS = [
  ['chunked', 'fin'],
  ['chunked', 'rst'],
  ['sized', 'fin'],
  ['close', 'fin'],
] as const;

/** Every cut has a model of its own: what the gateway remembers of one must not decide the next. */
const MODELS = FORMS.length * CUTS.length + 10;
const FREE = MODELS - 1;
let taken = 0;
const nextModel = () => `cut-${taken++}`;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: manyModels,
    random: NO_JITTER,
    limits: { paid_per_minute: 100_000, in_flight: 1_000 },
  });
});
afterAll(() => gateway.stop());

function manyModels(doc: TestDocument): TestDocument {
  const cut = (_: unknown, index: number) =>
    upModel(`cut-${index}`, {
      routes: [{ channel: 'up', model: `scripted-${index}` }],
      price: index === FREE ? 'free' : { input: 10, output: 40 },
    });
  return { ...doc, models: [...doc.models, ...Array.from({ length: MODELS }, cut)] };
}

interface Outcome {
  at: number;
  status: number;
  events: ServerEvent[];
  requestId: string;
}

/** Cuts one stream after each number of bytes; the request itself says where. */
async function cutEverywhere(account: TestAccount, script: Script, by: 'fin' | 'rst'): Promise<Outcome[]> {
  const seen = new Set<number>();
  gateway.upstream.otherwise(({ json }) => {
    // A second try of the same request must not mend what this test breaks.
    if (seen.has(json.seed)) return { status: 500 };
    seen.add(json.seed);
    return cutAt(script, json.seed, by, PAUSE_MS);
  });
  const cut = async (at: number): Promise<Outcome> => {
    const body = { model: nextModel(), stream: true, max_tokens: 20, seed: at };
    const response = await untilHeard(() => gateway.chat(account.key, body));
    const requestId = response.headers.get('x-request-id') ?? '';
    return { at, status: response.status, events: parseSse(await response.text()), requestId };
  };
  const outcomes: Outcome[] = [];
  for (let from = 0; from < CUTS.length; from += 16) {
    outcomes.push(...(await Promise.all(CUTS.slice(from, from + 16).map(cut))));
  }
  return outcomes;
}

describe.each(FORMS)('%s, %s', (framing, by) => {
  test('no part looks whole, and none is paid', async () => {
    const account = await gateway.register();
    const outcomes = await cutEverywhere(account, { ...STREAM, framing }, by);
    expect(outcomes).toHaveLength(CUTS.length);

    const records = new Map<string, Answer>(
      gateway
        .sql<Answer>('SELECT * FROM usage_records WHERE account_id = ?', account.accountId)
        .map((row) => [row.request_id, row]),
    );
    expect(records.size).toBe(CUTS.length);
    for (const { at, status, events, requestId } of outcomes) {
      const where = `cut after ${at} of ${LENGTH}`;
      const cost = records.get(requestId).cost_nano;
      if (status !== 200) {
        expect(status, where).toBe(502);
        if (framing === 'close') expect(at, where).toBeLessThan(BEGUN);
        expect(cost, where).toBe(0n);
        continue;
      }
      const isWhole = events.at(-1)?.data === '[DONE]';
      if (isWhole) {
        expect(at, where).toBeGreaterThanOrEqual(framing === 'close' ? FINISHED - EMPTY_LINE : FINISHED);
        expect(textOf(events), where).toBe(TEXT);
        expect(
          events.some(({ json }) => json?.error),
          where,
        ).toBe(false);
      } else {
        expect(events.at(-1)?.json.error, where).toMatchObject({ code: 'upstream_failed', type: 'server_error' });
        expect(TEXT.startsWith(textOf(events)), where).toBe(true);
        expect(
          events.filter(({ data }) => data === '[DONE]'),
          where,
        ).toEqual([]);
        expect(cost, where).toBe(0n);
      }
      expect(JSON.stringify(events), where).not.toContain('\ufffd');
    }
    const told = outcomes.filter(({ events }) => events.at(-1)?.json?.error);
    // Nearly all of those in between; fewer where the machine was too busy to read before the cut.
    expect(told.length).toBeGreaterThan((FINISHED - BEGUN) / SHARE / 10);
    const me = await gateway.get('/api/me', account.key);
    expect(me.held_nano).toBe('0');
    expect(gateway.audit()).toEqual([]);
  });
});

test('the error in the stream has the request id and a remedy, and the slot is given back', async () => {
  const { key } = await gateway.register();
  const gate = createGate();
  const body = [EVENTS.slice(0, 2).join(''), gate.opened, EVENTS.slice(2).join('')];
  gateway.upstream.next(cutAt({ ...STREAM, framing: 'chunked', body }, BEGUN + 5, 'fin'));
  gateway.upstream.otherwise({ status: 500 });
  const response = await gateway.chat(key, { model: `cut-${FREE}`, stream: true });
  const events: ServerEvent[] = [];
  for await (const event of sseEvents(response)) {
    events.push(event);
    gate.open();
  }
  expect(textOf(events)).toBe('Hi');
  expect(events.at(-1)?.json).toEqual({
    error: {
      message: expect.stringContaining('Retry'),
      type: 'server_error',
      param: null,
      code: 'upstream_failed',
      actions: expect.anything(),
      docs_url: expect.stringContaining('/docs/errors#upstream_failed'),
      request_id: response.headers.get('x-request-id'),
    },
  });
  expect((await gateway.get('/api/me', key)).free).toMatchObject({ minute: { used: 0 }, day: { used: 0 } });
  const { data } = await gateway.get('/api/usage', key);
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ status: 'upstream_failed', stream: true, cost_nano: '0' });
});

describe('of several choices', () => {
  const choice = (index: number, delta: unknown, finish: string | null = null) =>
    sseText(JSON.stringify({ choices: [{ index, delta, finish_reason: finish }] }));
  const parts = [
    choice(0, { content: 'a' }),
    choice(1, { content: 'b' }),
    choice(0, {}, 'stop'),
    choice(1, { content: 'c' }),
    choice(1, {}, 'stop'),
  ];

  test.each([
    [3, 'one is finished'],
    [4, 'one is finished and the other goes on'],
  ])('an end after %d events, when %s, is a cut', async (count) => {
    const { key } = await gateway.register();
    gateway.upstream.next({ ...STREAM, framing: 'close', body: parts.slice(0, count) });
    gateway.upstream.otherwise({ status: 500 });
    const response = await gateway.chat(key, { model: nextModel(), stream: true, n: 2 });
    const events = parseSse(await response.text());
    expect(events.at(-1)?.json?.error?.code).toBe('upstream_failed');
    expect((await gateway.get('/api/me', key)).balance_ntd).toBe(1);
  });

  test('an end before the second has begun is a cut', async () => {
    const { key } = await gateway.register();
    gateway.upstream.next({ ...STREAM, framing: 'close', body: [choice(0, { content: 'a' }), choice(0, {}, 'stop')] });
    gateway.upstream.otherwise({ status: 500 });
    const response = await gateway.chat(key, { model: nextModel(), stream: true, n: 2 });
    expect(parseSse(await response.text()).at(-1)?.json?.error?.code).toBe('upstream_failed');
  });

  test('an end after all of them finished is an end', async () => {
    const { key } = await gateway.register();
    gateway.upstream.next({ ...STREAM, framing: 'close', body: parts });
    const response = await gateway.chat(key, { model: nextModel(), stream: true, n: 2 });
    expect(parseSse(await response.text()).at(-1)?.data).toBe('[DONE]');
  });

  test('fewer choices than asked for are an answer once the upstream says it is done', async () => {
    const { key } = await gateway.register();
    const body = [choice(0, { content: 'a' }), choice(0, {}, 'stop'), sseText('[DONE]')];
    gateway.upstream.next({ ...STREAM, framing: 'close', body });
    const response = await gateway.chat(key, { model: nextModel(), stream: true, n: 2 });
    expect(parseSse(await response.text()).at(-1)?.data).toBe('[DONE]');
  });
});
