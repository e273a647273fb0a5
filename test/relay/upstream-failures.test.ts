// The problems an upstream can make, for every kind of client, whole and streamed: what the client gets, which channel is
// asked when and how often, what the receipt says, and what is paid, to the nano.

import { afterEach, describe, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import {
  type Asked,
  costAt,
  type Lab,
  type LabOptions,
  MAIN,
  SPARE,
  shareLabs,
  startLab,
  TRIAL,
  twoThirds,
} from '../support/lab.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { whilePassing } from '../support/pass-time.ts';
import { cutAt, type Script } from '../support/script.ts';
import type { SeenRequest } from '../support/upstream.ts';
import { modelAsked, WIRE_CLIENTS } from '../support/wire-clients.ts';

const PIECES = ['One', ' two', ' 三', ' four', ' five', ' six.'];
const TEXT = PIECES.join('');
const COST = costAt(MAIN, 11, 7);
/** Only where a channel is silent: elsewhere a machine that stands still for a moment must not count as silence. */
const FIRST_TOKEN_MS = 300;
const IDLE_MS = 300;
const TOTAL_MS = 700;

const share = shareLabs();
let lab: Lab;
afterEach(() => lab.stop());

describe.each(WIRE_CLIENTS)('$name', (client) => {
  describe.each(['whole', 'streamed'] as const)('%s', (mode) => {
    const stream = mode === 'streamed';
    const start = async (options: LabOptions) => {
      lab = await startLab(client, options);
    };
    const answer = (pieces: readonly string[] = PIECES): Script =>
      stream ? client.stream({ pieces }) : client.whole({ pieces });
    const ask = () => lab.ask({ stream });
    const gaps = (requests: readonly SeenRequest[]) =>
      requests.slice(1).map(({ at }, n) => at - (requests[n]?.at ?? 0));

    async function expectServed(
      asked: Asked,
      channel: string,
      attempts: [string, string][],
      cost = COST,
      model = lab.model,
    ) {
      expect(asked.status).toBe(200);
      if (stream) {
        expect(asked.answer).toMatchObject({ content: { [client.textSlot]: TEXT }, complete: true, error: undefined });
        expect(asked.answer.usage.cost_nano).toBe(cost);
        expect(asked.answer.models.at(-1)).toBe(model);
      } else expect(client.readWhole(asked.json)).toEqual({ text: TEXT, model });
      expect(asked.headers.get('x-svc-channel')).toBe(channel);
      expect(asked.record).toMatchObject({ channel, status: 'ok', cost_nano: cost, model });
      expect(asked.attempts).toEqual(attempts);
      await expectBooks(BigInt(cost));
    }

    async function expectFault(asked: Asked, status: number, code: string, attempts: [string, string][]) {
      expect(asked.status).toBe(status);
      expect(client.faultOf(asked.json).code).toBe(code);
      expect(asked.record).toMatchObject({ channel: null, status: code, cost_nano: '0', output_tokens: 0 });
      expect(asked.attempts).toEqual(attempts);
      await expectBooks(0n);
    }

    async function expectBooks(spent: bigint) {
      expect(await lab.records()).toHaveLength(1);
      expect(await lab.balance()).toBe(TRIAL - spent);
      expect(lab.gateway.audit()).toEqual([]);
    }

    test('429 with a short wait, once: the same channel after that wait', async () => {
      lab = await share(client);
      lab.first.next(client.refusal(429, 'other', { 'retry-after': '0.3' }), answer());
      await expectServed(await ask(), 'first', [
        ['first', 'rate_limited'],
        ['first', 'ok'],
      ]);
      expect(gaps(lab.first.requests)[0]).toBeWithin(290, 5_000);
      expect(lab.second.requests).toEqual([]);
    });

    test('429 with a long wait: the next channel at once', async () => {
      lab = await share(client);
      lab.first.otherwise(client.refusal(429, 'other', { 'retry-after': '6' }));
      lab.second.next(answer());
      await expectServed(await ask(), 'second', [
        ['first', 'rate_limited'],
        ['second', 'ok'],
      ]);
    });

    test('429 that stays: no channel is tried more than twice, and the response has the shortest wait', async () => {
      lab = await share(client);
      lab.first.otherwise(client.refusal(429, 'other', { 'retry-after': '0.2' }));
      lab.second.otherwise(client.refusal(429, 'other', { 'retry-after': '20' }));
      const asked = await ask();
      await expectFault(asked, client.unavailable, 'unavailable', [
        ['first', 'rate_limited'],
        ['first', 'rate_limited'],
        ['second', 'rate_limited'],
      ]);
      expect(asked.headers.get('retry-after')).toBe('1');
      expect(gaps(lab.first.requests)[0]).toBeGreaterThan(190);
    });

    test('one 500: the same channel again, after a short pause', async () => {
      lab = await share(client);
      lab.first.next(client.refusal(500, 'other'), answer());
      await expectServed(await ask(), 'first', [
        ['first', 'upstream_error'],
        ['first', 'ok'],
      ]);
      expect(gaps(lab.first.requests)[0]).toBeGreaterThan(45);
    });

    test('503 that stays: twice, then the next channel', async () => {
      lab = await share(client);
      lab.first.otherwise(client.refusal(503, 'other'));
      lab.second.next(answer());
      await expectServed(await ask(), 'second', [
        ['first', 'upstream_error'],
        ['first', 'upstream_error'],
        ['second', 'ok'],
      ]);
    });

    test('503 everywhere: three tries on one model, then its fallback, and only that is paid', async () => {
      lab = await share(client, { hasFallback: true });
      lab.first.otherwise(client.refusal(503, 'other'));
      lab.second.otherwise(client.refusal(503, 'other'));
      lab.third.next(answer());
      const attempts: [string, string][] = [
        ['first', 'upstream_error'],
        ['first', 'upstream_error'],
        ['second', 'upstream_error'],
        ['third', 'ok'],
      ];
      await expectServed(await ask(), 'third', attempts, costAt(SPARE, 11, 7), 'spare');
      expect(lab.third.requests.map(modelAsked)).toEqual(['spare-2026-01']);
    });

    test('503 everywhere without a fallback: reported, and free', async () => {
      lab = await share(client);
      lab.first.otherwise(client.refusal(503, 'other'));
      lab.second.otherwise(client.refusal(503, 'other'));
      await expectFault(await ask(), 502, 'upstream_failed', [
        ['first', 'upstream_error'],
        ['first', 'upstream_error'],
        ['second', 'upstream_error'],
      ]);
    });

    test('a reset before the headers: the same channel again', async () => {
      lab = await share(client);
      lab.first.next({ cut: { after: 'head', by: 'rst' } }, answer());
      await expectServed(await ask(), 'first', [
        ['first', 'network_error'],
        ['first', 'ok'],
      ]);
      expect(gaps(lab.first.requests)[0]).toBeGreaterThan(45);
    });

    test('silence: the next channel when the limit is reached, never the same one', async () => {
      const limit = stream ? FIRST_TOKEN_MS : TOTAL_MS;
      const timeouts = stream ? { first_token_ms: limit } : { total_ms: limit };
      const clock = createManualClock();
      await start({ clock, first: { timeouts } });
      lab.first.otherwise(cutAt(answer(), 'head', 'stall'));
      lab.second.next(answer());
      const asking = ask();
      const silent = await lab.first.request(0);
      const asked = await whilePassing(clock, asking);
      await expectServed(asked, 'second', [
        ['first', stream ? 'silent' : 'too_slow'],
        ['second', 'ok'],
      ]);
      // Time goes on while the try is being left, and while the words before a stall still come.
      expect(asked.record.attempts[0].ms).toBeGreaterThanOrEqual(limit);
      await eventually('the silent one to be left', () => silent.abortedAt);
    });

    test('a slow first word within the limit is waited for', async () => {
      await start({ first: { timeouts: { first_token_ms: 10_000 } } });
      const script = answer();
      lab.first.next({ ...script, body: [100, ...(script.body ?? [])] });
      await expectServed(await ask(), 'first', [['first', 'ok']]);
    });

    test('a slow first word past the limit: a stream moves on, a whole answer has more time', async () => {
      await start({ first: { timeouts: { first_token_ms: FIRST_TOKEN_MS } } });
      const script = answer();
      lab.first.next({ ...script, body: [FIRST_TOKEN_MS * 2, ...(script.body ?? [])] });
      lab.second.next(answer());
      if (stream) {
        await expectServed(await ask(), 'second', [
          ['first', 'silent'],
          ['second', 'ok'],
        ]);
      } else await expectServed(await ask(), 'first', [['first', 'ok']]);
    });

    test('a cut after two thirds: asked again, and the client sees one answer', async () => {
      lab = await share(client);
      lab.first.next(cutAt(answer(), twoThirds(answer()), 'fin', 20), answer());
      await expectServed(await ask(), 'first', [
        ['first', 'network_error'],
        ['first', 'ok'],
      ]);
    });

    test('a stall in the middle: another channel goes on', async () => {
      const limit = stream ? IDLE_MS : TOTAL_MS;
      const clock = createManualClock();
      await start({ clock, first: { timeouts: stream ? { idle_ms: limit } : { total_ms: limit } } });
      lab.first.otherwise(cutAt(answer(), twoThirds(answer()), 'stall'));
      lab.second.next(answer());
      const opening = lab.open({ stream });
      if (stream) await opening;
      else await lab.first.request(0);
      const asked = await whilePassing(clock, opening.then(lab.read));
      // The header was sent before the stall: it names the channel that began.
      await expectServed(asked, stream ? 'first' : 'second', [
        ['first', stream ? 'idle' : 'too_slow'],
        ['second', 'ok'],
      ]);
      expect(asked.record.attempts[0].ms).toBeGreaterThanOrEqual(limit);
      expect(lab.first.requests).toHaveLength(1);
    });

    test('a malformed chunk in the middle is a break', async () => {
      lab = await share(client);
      const script = answer();
      const parts = script.body ?? [];
      const at = Math.floor(parts.length / 2);
      const broken = stream ? [...parts.slice(0, at), 'data: {"broken\n\n', ...parts.slice(at)] : ['{"broken'];
      lab.first.next({ ...script, body: broken });
      lab.first.otherwise(answer());
      lab.second.otherwise(answer());
      if (stream) {
        await expectServed(await ask(), 'first', [
          ['first', 'error_event'],
          ['first', 'ok'],
        ]);
      } else {
        await expectServed(await ask(), 'second', [
          ['first', 'not_an_answer'],
          ['second', 'ok'],
        ]);
      }
    });

    test('no end mark after the finish: the answer is whole, and the mark is ours', async () => {
      lab = await share(client);
      const script = answer();
      const body = stream && client.hasEndMark ? (script.body ?? []).slice(0, -1) : (script.body ?? []);
      lab.first.next({ ...script, framing: 'close', body });
      await expectServed(await ask(), 'first', [['first', 'ok']]);
    });

    test('a prompt too long for the model: its fallback answers, under its own name and price', async () => {
      lab = await share(client, { hasFallback: true });
      lab.first.next(client.refusal(400, 'too_long'));
      lab.third.next(answer());
      const attempts: [string, string][] = [
        ['first', 'request_refused'],
        ['third', 'ok'],
      ];
      await expectServed(await ask(), 'third', attempts, costAt(SPARE, 11, 7), 'spare');
      expect(lab.second.requests).toEqual([]);
    });

    test('a prompt too long and no fallback: the fault says so', async () => {
      lab = await share(client);
      lab.first.next(client.refusal(400, 'too_long'));
      await expectFault(await ask(), 400, 'context_length_exceeded', [['first', 'request_refused']]);
      expect(lab.second.requests).toEqual([]);
    });

    test('content rejected: reported, and no other channel is tried', async () => {
      lab = await share(client, { hasFallback: true });
      lab.first.next(client.refusal(400, 'content'));
      await expectFault(await ask(), 400, 'content_rejected', [['first', 'request_refused']]);
      expect([...lab.second.requests, ...lab.third.requests]).toEqual([]);
    });

    test('twenty calls with and without problems: each is paid once, at what served it', async () => {
      lab = await share(client, { hasFallback: true });
      const problems: Script[] = [
        client.refusal(500, 'other'),
        client.refusal(429, 'other', { 'retry-after': '30' }),
        cutAt(answer(), twoThirds(answer()), 'rst', 10),
        client.refusal(400, 'too_long'),
      ];
      lab.second.otherwise(answer());
      lab.third.otherwise(answer());
      let spent = 0n;
      for (let n = 0; n < 20; n++) {
        lab.first.reset();
        lab.first.otherwise(answer());
        const problem = problems[n % 8];
        if (problem) lab.first.next(problem);
        const asked = await ask();
        expect(asked.status, `call ${n}`).toBe(200);
        const prices = asked.record.model === 'spare' ? SPARE : MAIN;
        expect(asked.record.cost_nano, `call ${n}`).toBe(costAt(prices, 11, 7));
        expect(asked.attempts.at(-1)?.[1]).toBe('ok');
        expect(asked.record.channel).toBe(asked.headers.get('x-svc-channel'));
        spent += BigInt(asked.record.cost_nano);
      }
      const records = await lab.records();
      expect(records).toHaveLength(20);
      expect(records.filter(({ model }) => model === 'spare')).toHaveLength(3);
      expect(await lab.balance()).toBe(TRIAL - spent);
      expect(lab.gateway.audit()).toEqual([]);
    });
  });
});
