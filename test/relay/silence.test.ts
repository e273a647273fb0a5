// An upstream that says nothing: within its limits another channel takes over, or the client is told; and nobody waits
// for it any more.

import { describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { whilePassing } from '../support/pass-time.ts';
import { cutAt, type Part, type Script } from '../support/script.ts';
import { readSse, textOf } from '../support/sse.ts';
import { type ChannelSet, useTwoChannels } from '../support/two-channels.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';

const LIMIT_MS = 300;
const [ROLE = '', ...WORDS] = (chatStream().body ?? []) as string[];
const stalled = (after: number | 'head'): Script => cutAt(chatStream(), after, 'stall');

let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;

/** Only the first channel has these limits: one that shall serve must not be late on a busy machine. */
function withLimits(timeouts: Record<string, number>, clock?: ManualClock): void {
  useTwoChannels(
    (inUse) => {
      ({ second, gateway, account, set } = inUse);
    },
    {
      ...(clock ? { clock } : {}),
      change: (channel) => (String(channel.name).startsWith('first-') ? { ...channel, timeouts } : channel),
    },
  );
}

/** For that reason, and not before its limit; time goes on while it is being left. */
async function expectLeft(response: Response, outcome: string): Promise<void> {
  const path = `/api/receipts/${response.headers.get('x-request-id')}`;
  const [first] = await eventually('the receipt', async (): Promise<Answer[]> => {
    return (await gateway.get(path, account.key)).attempts;
  });
  expect(first?.outcome).toBe(outcome);
  expect(first?.ms).toBeGreaterThanOrEqual(LIMIT_MS);
}

async function expectAborted(): Promise<void> {
  const seen = await gateway.upstream.request(0);
  await eventually('the silent upstream to be left', () => seen.abortedAt);
}

const trickle = (part: string): Part[] => Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? part : 20));
const silences: [what: string, script: Script][] = [
  ['before the status line', stalled('head')],
  ['after the headers', stalled(0)],
  ['after the role', stalled(Buffer.byteLength(ROLE))],
  ['in the middle of the first word', stalled(Buffer.byteLength(ROLE) + 30)],
  ['but for comments', { ...chatStream(), body: trickle(': ping\n\n') }],
  ['but for empty deltas', { ...chatStream(), body: trickle(ROLE) }],
];

describe('before the first word of a stream', () => {
  const clock = createManualClock();
  withLimits({ first_token_ms: LIMIT_MS }, clock);

  test.each(silences)('%s: the next channel serves, and the silent one is asked once', async (_, script) => {
    gateway.upstream.otherwise(script);
    second.next(chatStream({ pieces: ['From', ' the second'] }));
    const asking = gateway.chat(account.key, { model: set.both, stream: true });
    await gateway.upstream.request(0);
    const response = await whilePassing(clock, asking);
    expect(response.headers.get('x-svc-channel')).toBe(set.second);
    expect(textOf(await readSse(response))).toBe('From the second');
    await expectLeft(response, 'silent');
    expect(gateway.upstream.requests).toHaveLength(1);
    await expectAborted();
  });

  test('on the only channel it is a fault, and costs nothing', async () => {
    gateway.upstream.otherwise(stalled(0));
    const asking = gateway.chat(account.key, { model: set.alone, stream: true });
    await gateway.upstream.request(0);
    const response = await whilePassing(clock, asking);
    expect(response.status).toBe(502);
    expect(gateway.upstream.requests).toHaveLength(1);
    await expectAborted();
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  });

  test('a route may have a limit of its own', async () => {
    const patient = await startTestGateway({
      document: (doc) => ({
        ...doc,
        channels: doc.channels.map((one) => (one.name === 'up' ? { ...one, timeouts: { first_token_ms: 20 } } : one)),
        models: doc.models.map((one) =>
          one.id === 'up-free' ? { ...one, routes: [{ channel: 'up', model: 'm', first_token_ms: 5_000 }] } : one,
        ),
      }),
    });
    const { key } = await patient.register();
    patient.upstream.otherwise({ ...chatStream(), body: [100, ...(chatStream().body ?? [])] });
    expect((await patient.chat(key, { model: 'up-free', stream: true })).status).toBe(200);
    expect((await patient.chat(key, { model: 'up-paid', stream: true })).status).toBe(502);
    await patient.stop();
  });
});

describe('in the middle of a stream', () => {
  const clock = createManualClock();
  withLimits({ idle_ms: LIMIT_MS }, clock);

  test('the stream gets an error, costs nothing, and the upstream is aborted', async () => {
    gateway.upstream.next(stalled(Buffer.byteLength(ROLE + WORDS[0])));
    gateway.upstream.otherwise({ status: 500 });
    const response = await gateway.chat(account.key, { model: set.alone, stream: true });
    const events = await whilePassing(clock, readSse(response));
    expect(textOf(events)).toBe('Hello');
    expect(events.at(-1)?.json?.error?.code).toBe('upstream_failed');
    await expectAborted();
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ cost_nano: '0', status: 'upstream_failed' });
    await expectLeft(response, 'idle');
  });
});

describe('a connection that closes after silence', () => {
  const clock = createManualClock();
  withLimits({ first_token_ms: 60_000, idle_ms: 60_000 }, clock);
  const word = Buffer.byteLength(ROLE + WORDS[0]);

  /** Silence for so long once `after` was sent, then the connection ends. */
  async function askAndClose(ms: number, by: 'fin' | 'rst', after: number | 'head', body: { stream: boolean }) {
    const gate = createGate();
    const script = body.stream ? chatStream() : chatAnswer();
    gateway.upstream.next({ ...script, cut: { after, by, when: gate.opened } });
    const other = body.stream ? chatStream() : chatAnswer();
    gateway.upstream.otherwise(other);
    second.otherwise(other);
    const asking = gateway.chat(account.key, { model: set.both, temperature: 0, ...body });
    await gateway.upstream.request(0);
    // What was sent before has arrived: the answer has begun.
    const begun = after === word ? await asking : undefined;
    // So has what does not begin an answer: other calls have come and gone on the same event loop since.
    for (let calls = 0; calls < 3; calls++) await (await gateway.call('/healthz')).text();
    await clock.advance(ms);
    gate.open();
    const response = begun ?? (await whilePassing(clock, asking));
    const text = await whilePassing(clock, response.text());
    expect([response.status, text.includes('Hello')]).toEqual([200, true]);
    const path = `/api/receipts/${response.headers.get('x-request-id')}`;
    return eventually('the receipt', async (): Promise<string[] | undefined> => {
      const { attempts } = await gateway.get(path, account.key);
      return attempts?.map(
        ({ channel, outcome }: Answer) => `${channel === set.first ? 'first' : 'second'} ${outcome}`,
      );
    });
  }

  const places: [what: string, after: number | 'head', stream: boolean][] = [
    ['before the status line of a stream', 'head', true],
    ['after the role', Buffer.byteLength(ROLE), true],
    ['after the first word', word, true],
    ['before the status line of an answer', 'head', false],
    ['inside an answer', 20, false],
  ];
  describe.each(places)('%s', (_, after, stream) => {
    test.each(['fin', 'rst'] as const)('of more than 5 s, by %s: the next channel is asked, once', async (by) => {
      const attempts = await askAndClose(5_050, by, after, { stream });
      expect(attempts).toEqual(['first closed_silent', 'second ok']);
    });

    test.each(['fin', 'rst'] as const)('of less, by %s: the same channel is asked again', async (by) => {
      const attempts = await askAndClose(4_000, by, after, { stream });
      expect(attempts).toEqual([expect.stringMatching(/^first (network_error|cut|not_an_answer)$/), 'first ok']);
    });
  });
});

describe('less than the limit', () => {
  withLimits({ idle_ms: 5_000 });

  test('pauses are none of our business', async () => {
    const body = (chatStream().body ?? []).flatMap((part): Part[] => [30, part]);
    gateway.upstream.next({ ...chatStream(), body });
    const events = await readSse(await gateway.chat(account.key, { model: set.alone, stream: true }));
    expect(events.at(-1)?.data).toBe('[DONE]');
  });
});

describe('the limit of all of it', () => {
  withLimits({ total_ms: 2_000 });

  test('does not end a stream that goes on delivering', async () => {
    const [role = '', word = '', ...rest] = (chatStream().body ?? []) as string[];
    const words = Array.from({ length: 60 }, () => [50, word]).flat();
    gateway.upstream.next({ ...chatStream(), body: [role, ...words, ...rest] });
    const events = await readSse(await gateway.chat(account.key, { model: set.alone, stream: true }));
    expect(events.at(-1)?.data).toBe('[DONE]');
    expect(textOf(events)).toStartWith('Hello'.repeat(60));
  });

  test('of a whole answer: past it the next channel serves', async () => {
    gateway.upstream.otherwise(cutAt(chatAnswer(), 5, 'stall'));
    second.next(chatAnswer());
    const response = await gateway.chat(account.key, { model: set.both });
    expect(response.headers.get('x-svc-channel')).toBe(set.second);
    await expectAborted();
  });
});

describe('of a whole answer', () => {
  withLimits({ first_token_ms: LIMIT_MS });

  test('may last longer than a first word may', async () => {
    gateway.upstream.next({ ...chatAnswer(), body: [3 * LIMIT_MS, ...(chatAnswer().body ?? [])] });
    expect((await gateway.chat(account.key, { model: set.alone })).status).toBe(200);
  });
});
