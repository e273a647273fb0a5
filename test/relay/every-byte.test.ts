// Recorded streams cut by a close or a reset. Whatever the offset: no hang, no second start, no word twice or missing, no
// part that looks whole, and a charge for one answer or for none. `npm test` cuts at a share of all offsets, another one in
// each run, `npm run test:long` after every single byte.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type Assembled, assembleChat } from '../support/assemble.ts';
import { type Break, createFakeFetch, type FakeAnswer, type FakeCall } from '../support/broken-fetch.ts';
import { eventually } from '../support/eventually.ts';
import { NO_JITTER, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { untilHeard } from '../support/race.ts';
import { RECORDED_STREAMS, type RecordedStream } from '../support/recorded-streams.ts';
import { wireClient } from '../support/wire-clients.ts';

/** No more than one batch admits: of a larger burst a busy machine would shed some. */
const AT_ONCE = 100;
/** Thousands of calls, each with a pause before its second try. */
const TIMEOUT_MS = 180_000;
/** 11 in, 7 out, at one nano a token. */
const COST = 18n;

const FIN_STEP = IS_LONG_RUN ? 1 : 41;
const OTHER_STEP = IS_LONG_RUN ? 1 : 67;
const STEPS = [FIN_STEP, OTHER_STEP];
/** By what a stream is cut, and after every how many bytes. */
const BREAKS: [by: Break, step: number][] = [
  ['fin', FIN_STEP],
  ['rst', OTHER_STEP],
];

interface Outcome {
  at: number;
  status: number;
  answer: Assembled;
  cost: bigint;
  recordStatus: string;
}

interface Cutter {
  gateway: TestGateway;
  /** What the upstreams answer to the call that is cut after so many bytes. */
  answer(call: FakeCall, at: number): FakeAnswer;
}

/** A model for each offset: what the gateway remembers of one cut must not decide the next. */
async function startCutter({ client, events }: RecordedStream, second: Record<string, unknown> = {}): Promise<Cutter> {
  const kind = client === 'messages' ? 'anthropic' : 'openai';
  const endpoints = [client];
  const gateway = await startTestGateway({
    fetch: createFakeFetch((call) => cutter.answer(call, Number(call.body.model.slice(2)))),
    random: NO_JITTER,
    limits: { paid_per_minute: 100_000, in_flight: 1_000 },
    document: (doc) => ({
      ...doc,
      // A request without a declared length may be as long as the longest.
      guards: { body_megabytes_in_flight: 100_000 },
      channels: [
        ...doc.channels,
        { name: 'first', kind, endpoints, base_url: 'http://first.test' },
        { name: 'second', kind, endpoints, base_url: 'http://second.test', ...second },
      ],
      models: [
        ...doc.models,
        ...[...new Set(STEPS.flatMap((step) => offsetsOf(events, step)))].map((at) => ({
          id: `cut-${at}`,
          max_output_tokens: 100,
          price: { input: 0.001, output: 0.001 },
          routes: [
            { channel: 'first', model: `s-${at}`, priority: 1 },
            { channel: 'second', model: `s-${at}`, priority: 2 },
          ],
        })),
      ],
    }),
  });
  const cutter: Cutter = {
    gateway,
    answer: () => {
      throw new Error('no answer is given');
    },
  };
  return cutter;
}

const lengthOf = (events: readonly string[]) => Buffer.byteLength(events.join(''));

function offsetsOf(events: readonly string[], step: number): number[] {
  const from = RUN_SEED % step;
  return Array.from({ length: Math.floor((lengthOf(events) - from) / step) + 1 }, (_, n) => from + n * step);
}

async function cutEverywhere({ gateway }: Cutter, recorded: RecordedStream, step: number): Promise<Outcome[]> {
  const { gateway: app, sql } = gateway;
  const length = lengthOf(recorded.events);
  const { key, accountId } = await gateway.register();
  const seen: (Omit<Outcome, 'cost' | 'recordStatus'> & { id: string })[] = [];
  const cut = async (at: number) => {
    const { path, body } = wireClient(recorded.client).call({
      model: `cut-${at}`,
      stream: true,
      max_tokens: 50,
      ...(recorded.client === 'chat' ? { n: recorded.choices } : {}),
    });
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await untilHeard(() => app.fetch(new Request(`http://gateway.test${path}`, init)));
    const text = await response.text();
    const isStream = response.status === 200;
    const assemble = () => assembleOf(recorded)(isStream ? text : '');
    try {
      seen.push({ at, status: response.status, answer: assemble(), id: response.headers.get('x-request-id') ?? '' });
    } catch (error) {
      throw new Error(`cut after ${at} of ${length}: ${error}\n${text}`);
    }
  };
  const offsets = offsetsOf(recorded.events, step);
  for (let from = 0; from < offsets.length; from += AT_ONCE) {
    await Promise.all(offsets.slice(from, from + AT_ONCE).map(cut));
  }
  const RECORDS = 'SELECT request_id, status, cost_nano FROM usage_records WHERE account_id = ?';
  const rows = await eventually(`${offsets.length} usage records`, () => {
    const found = new Map(sql<Answer>(RECORDS, accountId).map((row) => [row.request_id, row]));
    return found.size >= offsets.length && found;
  });
  expect(rows.size).toBe(offsets.length);
  expect(gateway.audit()).toEqual([]);
  const [wallet] = sql<Answer>('SELECT balance_nano, held_nano FROM wallets WHERE account_id = ?', accountId);
  expect(wallet.held_nano).toBe(0n);
  return seen.map(({ id, ...rest }) => ({ ...rest, cost: rows.get(id).cost_nano, recordStatus: rows.get(id).status }));
}

const assembleOf = (recorded: RecordedStream) => (text: string) =>
  recorded.client === 'chat' ? assembleChat(text, recorded.choices) : wireClient(recorded.client).assemble(text);
let calls = 0;
afterAll(() => process.stdout.write(`streams cut: ${calls}\n`));

describe.each(RECORDED_STREAMS)('$what', (recorded) => {
  const body = recorded.events.join('');
  const length = lengthOf(recorded.events);
  const expected = assembleOf(recorded)(body);

  describe('on channels that begin anew', () => {
    let cutter: Cutter;
    beforeAll(async () => {
      cutter = await startCutter(recorded);
    });
    afterAll(() => cutter.gateway.stop());

    /** The first answer to each offset is cut, the next ones are whole. */
    function cutOnce(by: Break, next: string): Set<number> {
      const broken = new Set<number>();
      cutter.answer = (_call, at) => {
        if (broken.has(at)) return { body: next };
        broken.add(at);
        return { body, cut: { after: at, by } };
      };
      return broken;
    }

    test.each(BREAKS)(
      '%s: a run that says the same makes it whole',
      async (by, step) => {
        const broken = cutOnce(by, body);
        const outcomes = await cutEverywhere(cutter, recorded, step);
        calls += outcomes.length;
        expect(broken.size).toBe(outcomes.length);
        let estimated = 0;
        for (const { at, status, answer, cost, recordStatus } of outcomes) {
          const where = `cut after ${at} of ${length}`;
          expect(status, where).toBe(200);
          expect(answer.content, where).toEqual(expected.content);
          expect(answer, where).toMatchObject({ complete: true, finish: expected.finish as string, error: undefined });
          expect(recordStatus, where).toBe('ok');
          expect(String(answer.usage.cost_nano), where).toBe(cost.toString());
          // Cut between the finish and the usage, it is counted here.
          if (cost !== COST) estimated++;
          expect(cost, where).toBeGreaterThan(0n);
        }
        expect(estimated).toBeLessThan(outcomes.length / 3);
      },
      TIMEOUT_MS,
    );

    test(
      'a run that says something else: an error in the stream, and nothing to pay',
      async () => {
        const other = recorded.other.join('');
        const otherContent = assembleOf(recorded)(other).content;
        const broken = cutOnce('fin', other);
        const outcomes = await cutEverywhere(cutter, recorded, OTHER_STEP);
        calls += outcomes.length;
        expect(broken.size).toBe(outcomes.length);
        let told = 0;
        for (const { at, status, answer, cost, recordStatus } of outcomes) {
          const where = `cut after ${at} of ${length}`;
          expect(status, where).toBe(200);
          if (answer.complete) {
            expect([expected.content, otherContent], where).toContainEqual(answer.content);
            expect(cost, where).toBeGreaterThan(0n);
            continue;
          }
          told++;
          expect(answer.error, where).toBeDefined();
          expect(recordStatus, where).toBe('upstream_failed');
          expect(cost, where).toBe(0n);
          for (const [slot, text] of Object.entries(answer.content))
            expect(expected.content[slot], where).toStartWith(text);
        }
        expect(told).toBeGreaterThan(outcomes.length / 5);
      },
      TIMEOUT_MS,
    );
  });

  const { text } = recorded;
  if (text === undefined) return;

  describe('on a channel with prefill', () => {
    let cutter: Cutter;
    beforeAll(async () => {
      cutter = await startCutter(recorded, { prefill: true });
    });
    afterAll(() => cutter.gateway.stop());

    test(
      'it goes on where it broke',
      async () => {
        const prefills: string[] = [];
        const first = new Set<number>();
        const cutFirst = (at: number): FakeAnswer => {
          first.add(at);
          return { body, cut: { after: at, by: at % 2 === 0 ? 'fin' : 'rst' } };
        };
        cutter.answer = ({ host, body: request }, at) => {
          if (host === 'first.test') return first.has(at) ? { body: '{}', status: 500 } : cutFirst(at);
          const prefill = wireClient(recorded.client).prefillOf(request);
          if (prefill === undefined) return { body };
          prefills.push(prefill);
          if (!text.startsWith(prefill)) return { body: '{}', status: 500 };
          return { body: recorded.goOn(text.slice(prefill.length)) };
        };
        const outcomes = await cutEverywhere(cutter, recorded, OTHER_STEP);
        calls += outcomes.length;
        expect(first.size).toBe(outcomes.length);
        for (const { at, answer, cost } of outcomes) {
          const where = `cut after ${at} of ${length}`;
          expect(answer.content, where).toEqual(expected.content);
          expect(answer, where).toMatchObject({ complete: true, error: undefined });
          expect(cost, where).toBeGreaterThan(0n);
        }
        expect(prefills.length).toBeGreaterThan(outcomes.length / 5);
        expect(new Set(prefills).size).toBeGreaterThan(1);
      },
      TIMEOUT_MS,
    );
  });
});
