// A client that leaves: the upstream is left at once, what was delivered is paid, and the call is closed exactly once.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { weighTokens } from '../../src/kit/tokens.ts';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, sseScript, sseText } from '../support/openai-chat.ts';
import { createReadOnClock } from '../support/read-on-clock.ts';
import { cutAt, type Part, type Script } from '../support/script.ts';
import { sseEvents, textOf } from '../support/sse.ts';
import { UP_PRICES, upModel, withDrainedModel } from '../support/test-document.ts';

const PARTS = (chatStream().body ?? []) as string[];
const [ROLE = '', FIRST_WORD = ''] = PARTS;
/** A stream whose usage is that of a picture. */
const mediaEnd = (pieces: readonly string[]) =>
  (chatStream({ pieces, usage: { prompt_tokens: 11, completion_tokens: 90 } }).body ?? []) as string[];
const { clock, timers } = createReadOnClock(systemClock);
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    limits: { paid_per_minute: 10_000, in_flight: 500 },
    document: (standard) => {
      const drained = withDrainedModel(standard);
      // What is held for an answer is far more than any buffer has room for.
      const long = upModel('up-long', {
        context_tokens: 1_000_000_000,
        max_output_tokens: 1_000_000_000,
        price: { input: 10, output: 0.001 },
      });
      return { ...drained, models: [...drained.models, long] };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** The one usage record of the account, once the call is closed. */
async function record(): Promise<Answer> {
  await eventually('the call to be closed', async () => {
    const [wallet] = gateway.sql<{ open: bigint }>(
      'SELECT count(*) AS open FROM holds WHERE account_id = ?',
      account.accountId,
    );
    return wallet?.open === 0n && (await gateway.get('/api/usage', account.key)).data.length > 0;
  });
  const { data } = await gateway.get('/api/usage', account.key);
  expect(data).toHaveLength(1);
  expect(gateway.audit()).toEqual([]);
  return data[0];
}

/** Well before the first keep-alive, which would find out that nobody listens. */
async function expectUpstreamLeft(): Promise<void> {
  const seen = await gateway.upstream.request(0);
  await eventually('the upstream to be left', () => seen.abortedAt);
}

describe('before the first byte', () => {
  const waiting: [what: string, body: Record<string, unknown>, script: Script][] = [
    ['of a whole answer, nothing sent yet', {}, cutAt(chatAnswer(), 'head', 'stall')],
    ['of a whole answer, half of it received', {}, cutAt(chatAnswer(), 40, 'stall')],
    ['of a stream, nothing sent yet', { stream: true }, cutAt(chatStream(), 'head', 'stall')],
    ['of a stream, the role received', { stream: true }, cutAt(chatStream(), ROLE.length, 'stall')],
  ];
  test.each(waiting)('%s: nothing is paid', async (_, body, script) => {
    gateway.upstream.next(script);
    const leaving = new AbortController();
    const call = gateway.chat(account.key, { model: 'up-paid', ...body }, { signal: leaving.signal });
    await gateway.upstream.request(0);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await expectUpstreamLeft();
    expect(await record()).toMatchObject({ status: 'client_gone', cost_nano: '0', channel: null });
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  });

  test('no other channel is asked, and a free slot stays taken', async () => {
    gateway.upstream.next(cutAt(chatAnswer(), 'head', 'stall'));
    const leaving = new AbortController();
    const call = gateway.chat(account.key, { model: 'up-free' }, { signal: leaving.signal });
    await gateway.upstream.request(0);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await record();
    expect(gateway.upstream.requests).toHaveLength(1);
    expect((await gateway.get('/api/me', account.key)).free).toMatchObject({ minute: { used: 1 }, day: { used: 1 } });
  });
});

/** Reads a stream up to its first word and leaves. */
async function leaveAfterFirstWord(body: Record<string, unknown>, script: Script): Promise<void> {
  gateway.upstream.next(script);
  const leaving = new AbortController();
  const response = await gateway.chat(account.key, { stream: true, ...body }, { signal: leaving.signal });
  expect(response.status).toBe(200);
  const events = [];
  for await (const event of sseEvents(response)) {
    events.push(event);
    if (textOf(events) !== '') break;
  }
  leaving.abort();
}

describe('in the middle of a stream', () => {
  const untilWord = cutAt(chatStream(), ROLE.length + FIRST_WORD.length, 'stall');

  test('the upstream is left, and what was delivered is paid by our own count', async () => {
    await leaveAfterFirstWord({ model: 'up-paid', max_tokens: 500 }, untilWord);
    await expectUpstreamLeft();
    const { status, channel, estimated, input_tokens, output_tokens, cost_nano } = await record();
    expect({ status, channel, estimated }).toEqual({ status: 'client_gone', channel: 'up', estimated: true });
    expect(output_tokens).toBeWithin(1, 5);
    expect(input_tokens).toBeGreaterThan(0);
    expect(BigInt(cost_nano)).toBe(BigInt(input_tokens) * UP_PRICES.input + BigInt(output_tokens) * UP_PRICES.output);
    expect((await gateway.get('/api/me', account.key)).held_nano).toBe('0');
  });

  test('a single letter that was delivered is one token', async () => {
    const letter = sseText(
      JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] }),
    );
    const script = cutAt(sseScript([ROLE, letter]), ROLE.length + letter.length, 'stall');
    await leaveAfterFirstWord({ model: 'up-paid', max_tokens: 500 }, script);
    expect(await record()).toMatchObject({ status: 'client_gone', estimated: true, output_tokens: 1 });
  });

  describe.each([
    [
      'a picture',
      { content: '', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }] },
      // By the estimate it would be more, but no answer of this model can be.
      1_000,
    ],
    ['audio', { audio: { id: 'audio_1', data: 'QUJD' } }, 1],
  ])('%s', (_, said, tokens) => {
    const chunk = sseText(JSON.stringify({ id: 'x', choices: [{ index: 0, delta: said, finish_reason: null }] }));
    /** The rest of the script waits at the gate until the gateway has heard that the client left. */
    async function leaveAfterMedia(model: string, script: Script, gate = createGate()): Promise<Answer> {
      const leaving = new AbortController();
      gateway.upstream.next(script);
      const response = await gateway.chat(account.key, { model, stream: true }, { signal: leaving.signal });
      const before = timers();
      for await (const { data } of sseEvents(response)) if (data.includes('QUJD')) break;
      leaving.abort();
      if (model === 'up-drained') await eventually('the stream to be read on', () => timers() > before);
      else await expectUpstreamLeft();
      gate.open();
      return record();
    }

    test('has no words to count, and is paid by an estimate', async () => {
      const script = cutAt(sseScript([ROLE, chunk]), ROLE.length + chunk.length, 'stall');
      const { status, estimated, input_tokens, output_tokens, cost_nano } = await leaveAfterMedia('up-paid', script);
      expect({ status, estimated, output_tokens }).toEqual({
        status: 'client_gone',
        estimated: true,
        output_tokens: tokens,
      });
      expect(input_tokens).toBeGreaterThan(0);
      expect(BigInt(cost_nano)).toBe(BigInt(input_tokens) * UP_PRICES.input + BigInt(tokens) * UP_PRICES.output);
    });

    test('is paid as reported where the channel is read to its end', async () => {
      const [role = '', ...end] = mediaEnd([]);
      const gate = createGate();
      const paid = await leaveAfterMedia('up-drained', sseScript([role, chunk, gate.opened, ...end]), gate);
      expect(paid).toMatchObject({ status: 'client_gone', estimated: false, input_tokens: 11, output_tokens: 90 });
      expect(BigInt(paid.cost_nano)).toBe(11n * UP_PRICES.input + 90n * UP_PRICES.output);
    });

    test('is paid there without the words that came too late', async () => {
      const late = Array.from({ length: 20 }, () => ' and more');
      const [role = '', ...end] = mediaEnd(late);
      const gate = createGate();
      const paid = await leaveAfterMedia('up-drained', sseScript([role, chunk, gate.opened, ...end]), gate);
      const output_tokens = 90 - Math.ceil(late.reduce((sum, text) => sum + weighTokens(text), 0));
      expect(paid).toMatchObject({ status: 'client_gone', estimated: false, input_tokens: 11, output_tokens });
      expect(output_tokens).toBeWithin(1, 90);
    });
  });

  test('a free call costs nothing and keeps its slot', async () => {
    await leaveAfterFirstWord({ model: 'up-free' }, untilWord);
    expect(await record()).toMatchObject({ status: 'client_gone', cost_nano: '0' });
    expect((await gateway.get('/api/me', account.key)).free.minute.used).toBe(1);
  });

  test('a flood is paid as far as it came: at least what was read, at most what the upstream had sent', async () => {
    const words = 'word '.repeat(1_000);
    let sent = 0;
    function* flood(): Generator<Part> {
      for (;;) {
        sent++;
        yield FIRST_WORD.replace('Hello', words);
      }
    }
    gateway.upstream.next({ ...chatStream(), framing: 'chunked', body: [ROLE], rest: flood() });
    const leaving = new AbortController();
    const response = await gateway.chat(account.key, { model: 'up-long', stream: true }, { signal: leaving.signal });
    let read = 0;
    for await (const { data } of sseEvents(response)) if (data.includes(words) && ++read === 20) break;
    leaving.abort();
    await expectUpstreamLeft();
    const { status, input_tokens, output_tokens, cost_nano } = await record();
    expect(status).toBe('client_gone');
    const each = weighTokens(words);
    expect(output_tokens).toBeWithin(Math.floor(read * each), Math.ceil(sent * each) + 1);
    expect(BigInt(cost_nano)).toBe(BigInt(input_tokens) * 10_000n + BigInt(output_tokens));
  });

  test('the demo channel stops too', async () => {
    const slow = await startTestGateway({ demoPaceMs: 200 });
    const { key } = await slow.register();
    const leaving = new AbortController();
    const response = await slow.chat(key, { model: 'demo-small', stream: true }, { signal: leaving.signal });
    for await (const event of sseEvents(response)) if (event.json.choices[0].delta.content) break;
    leaving.abort();
    const { data } = await eventually('the record', async () => {
      const page = await slow.get('/api/usage', key);
      return page.data.length > 0 && page;
    });
    expect(data[0]).toMatchObject({ status: 'client_gone', estimated: true, channel: 'demo' });
    expect(data[0].output_tokens).toBeLessThan(20);
    await slow.stop();
  });
});

test.each(['up-paid', 'up-free'])('an answer of %s whose body is never read is closed all the same', async (model) => {
  gateway.upstream.next(cutAt(chatStream(), ROLE.length + FIRST_WORD.length, 'stall'));
  const request = new Request(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}` },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const response = await gateway.gateway.fetch(request);
  expect(response.status).toBe(200);
  await response.body?.cancel();
  await expectUpstreamLeft();
  expect(await record()).toMatchObject({ status: 'client_gone', cost_nano: '0' });
  // Who leaves at once has had its turn.
  const { free } = await gateway.get('/api/me', account.key);
  expect(free.minute.used).toBe(model === 'up-free' ? 1 : 0);
});

test('a client that leaves after the end of the answer pays it, once', async () => {
  const gate = createGate();
  gateway.upstream.next({ ...chatStream(), body: [...PARTS.slice(0, -1), gate.opened, ...PARTS.slice(-1)] });
  const leaving = new AbortController();
  const body = { model: 'up-paid', stream: true };
  const response = await gateway.chat(account.key, body, { signal: leaving.signal });
  for await (const event of sseEvents(response)) if (event.json?.choices?.[0]?.finish_reason) break;
  leaving.abort();
  gate.open();
  const { cost_nano } = await record();
  expect(BigInt(cost_nano)).toBeGreaterThan(0n);
});

test('eighty clients that leave at any moment leave no hold behind', async () => {
  const untilWord = cutAt(chatStream(), ROLE.length + FIRST_WORD.length, 'stall');
  const whole = { ...chatStream(), body: PARTS.flatMap((part) => [3, part]) };
  gateway.upstream.otherwise(({ json }) => (json.seed % 2 === 0 ? whole : untilWord));
  /** Of four, one stays to the end, one leaves with the first word, and two leave at some time. */
  const callAndLeave = async (index: number) => {
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    const timer = index % 4 >= 2 ? setTimeout(leave, (index * 7) % 40) : undefined;
    const body = { model: 'up-paid', stream: true, max_tokens: 20, seed: index };
    try {
      const response = await gateway.chat(account.key, body, { signal: leaving.signal });
      for await (const { json } of sseEvents(response)) if (index % 4 === 1 && json.choices[0].delta.content) leave();
    } catch {
      // It has left.
    }
    clearTimeout(timer);
  };
  for (let from = 0; from < 80; from += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => callAndLeave(from + index)));
  }
  await eventually('every hold to be resolved', () => {
    const [open] = gateway.sql<{ n: bigint }>('SELECT count(*) AS n FROM holds');
    return open?.n === 0n;
  });
  const ends = gateway.sql<{ status: string; n: bigint }>(
    'SELECT status, count(*) AS n FROM usage_records WHERE account_id = ? GROUP BY status',
    account.accountId,
  );
  expect(ends.map(({ status }) => status)).toEqual(['client_gone', 'ok']);
  for (const { n } of ends) expect(n).toBeGreaterThanOrEqual(16n);
  expect(gateway.audit()).toEqual([]);
  const { totals } = await gateway.get('/api/usage?limit=1', account.key);
  const me = await gateway.get('/api/me', account.key);
  expect(BigInt(me.balance_nano)).toBe(1_000_000_000n - BigInt(totals.cost_nano));
  expect(gateway.log.lines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('a leave reaches the upstream also after memory was cleaned up in between', async () => {
  for (let n = 0; n < 10; n++) {
    gateway.upstream.reset();
    gateway.upstream.next(cutAt(chatStream(), ROLE.length + FIRST_WORD.length, 'stall'));
    const leaving = new AbortController();
    const response = await gateway.chat(account.key, { model: 'up-paid', stream: true }, { signal: leaving.signal });
    for await (const event of sseEvents(response)) if (event.json?.choices?.[0]?.delta?.content) break;
    for (let round = 0; round < 3; round++) {
      Bun.gc(true);
      await Bun.sleep(1);
    }
    leaving.abort();
    await expectUpstreamLeft();
  }
});

describe('why an upstream’s call ends', () => {
  const signals: AbortSignal[] = [];
  let other: TestGateway;
  beforeAll(async () => {
    other = await startTestGateway({
      fetch(url: string, init: RequestInit) {
        if (init.signal) signals.push(init.signal);
        return fetch(url, init);
      },
    });
  });
  beforeEach(() => void signals.splice(0));
  afterAll(() => other.stop());
  const reason = () =>
    eventually('the end of the call', () => signals[0]?.aborted && String(signals[0].reason.message));

  test('the answer is whole: it is left', async () => {
    other.upstream.next(chatStream());
    const { key } = await other.register();
    await (await other.chat(key, { model: 'up-paid', stream: true })).text();
    expect(await reason()).toBe('left');
  });

  test('the client has left', async () => {
    other.upstream.next(cutAt(chatStream(), Buffer.byteLength(ROLE + FIRST_WORD), 'stall'));
    const { key } = await other.register();
    const client = new AbortController();
    await other.chat(key, { model: 'up-paid', stream: true }, { signal: client.signal });
    client.abort();
    expect(await reason()).toBe('client_gone');
  });
});
