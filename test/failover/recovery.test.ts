// An outage of the first channel, and its end: no call fails meanwhile, the dead channel is left alone but for a few probes,
// and when it works again it gets its calls back within 15 s.

import { afterEach, expect, test } from 'bun:test';
import { systemRandom } from '../../src/kit/random.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { type BenchClock, createBenchClock } from './bench-clock.ts';

const BACK_WITHIN_MS = 15_000;
const MAX_PROBES = 12;
const OUTAGE_MS = 60_000;
/** Until the breaker is open, calls meet the outage. */
const NOTICED_MS = 3_000;
/** What a failed call waits before it is tried again: 50 ms, as the fraction is 0. */
const PAUSE_MS = 50;
const PRICE = { input: 1, output: 4 };

const UNAVAILABLE = errorScript(503, { message: 'Service unavailable.' });
const RESET: Script = { cut: { after: 'head', by: 'rst' } };

interface Outage {
  what: string;
  script: Script;
  /** How many follow each other: a status may be the request's own doing, so another account is asked to try. */
  probes: number;
  /** Their trial credit must last. */
  accounts: number;
  perSecond: number;
  atOnce: number;
}

const OUTAGES: Outage[] = [
  { what: 'resets every connection', script: RESET, probes: 1, accounts: 2, perSecond: 1, atOnce: 1 },
  { what: 'answers 503', script: UNAVAILABLE, probes: 2, accounts: 2, perSecond: 1, atOnce: 1 },
  { what: 'answers 503 to the only account', script: UNAVAILABLE, probes: 1, accounts: 1, perSecond: 1, atOnce: 1 },
  { what: 'answers 503', script: UNAVAILABLE, probes: 2, accounts: 10, perSecond: 40, atOnce: 10 },
];

let clock: BenchClock;
let gateway: TestGateway;
let second: ScriptedUpstream;
let accounts: TestAccount[];
let calls = 0;

async function start(count: number): Promise<void> {
  clock = createBenchClock();
  second = await startUpstream();
  gateway = await startTestGateway({
    clock,
    random: { ...systemRandom, fraction: () => 0 },
    limits: { paid_per_minute: 100_000 },
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        openaiChannel('first', upstreamUrl(standard)),
        openaiChannel('second', second.baseUrl),
      ],
      models: [
        ...standard.models,
        upModel('main', {
          price: PRICE,
          routes: [
            { channel: 'first', model: 'main', priority: 1 },
            { channel: 'second', model: 'main', priority: 2 },
          ],
        }),
      ],
    }),
  });
  accounts = await Promise.all(Array.from({ length: count }, () => gateway.register()));
  second.otherwise(chatAnswer());
  clock.setBy('calls');
}

afterEach(async () => {
  await gateway.stop();
  await second.close();
});

/** Which channel served. Fails if none did. */
async function call(): Promise<string> {
  const { key = '' } = accounts[calls++ % accounts.length] ?? {};
  const response = await gateway.chat(key, { model: 'main' });
  const body = await response.text();
  expect(response.status, body).toBe(200);
  return response.headers.get('x-svc-channel') ?? '';
}

/** So many calls; time passes only while each of them that is open waits to be tried again. */
async function callAtOnce(count: number): Promise<string[]> {
  let open = count;
  const done = Promise.all(Array.from({ length: count }, () => call().finally(() => open--)));
  done.catch(() => {});
  while (open > 0) {
    await Bun.sleep(1);
    if (open > 0 && clock.countPending([PAUSE_MS]) === open) await clock.advance(clock.untilNextMs() ?? 0);
  }
  return done;
}

/** Calls at an even rate; `isOver` is asked after each moment, with the channels that served then. */
async function callUntil({ perSecond, atOnce }: Outage, isOver: (served: string[]) => boolean): Promise<void> {
  const stepMs = (1_000 * atOnce) / perSecond;
  for (let due = clock.monotonic(); ; due += stepMs) {
    await clock.advance(Math.max(0, due - clock.monotonic()));
    if (isOver(await callAtOnce(atOnce))) return;
  }
}

test.each(OUTAGES)('a channel that $what, at $perSecond calls a second', async (outage) => {
  await start(outage.accounts);
  const { upstream: first } = gateway;
  const expectServedBy = (served: string[], channel: string) => expect([...new Set(served)]).toEqual([channel]);
  first.otherwise(chatAnswer());
  expectServedBy(await callAtOnce(outage.atOnce), 'first');

  const diedAt = clock.monotonic();
  const askedAfter: number[] = [];
  first.otherwise(() => {
    askedAfter.push(clock.monotonic() - diedAt);
    return outage.script;
  });
  await callUntil(outage, (served) => {
    expectServedBy(served, 'second');
    // It heals just after the last probe has failed, so that the longest pause lies ahead.
    return askedAfter.filter((ms) => ms >= OUTAGE_MS).length >= outage.probes;
  });
  const probes = askedAfter.filter((ms) => ms >= NOTICED_MS && ms < OUTAGE_MS).length;
  expect(probes).toBeWithin(1, MAX_PROBES + 1);

  const healedAt = clock.monotonic();
  first.otherwise(chatAnswer());
  await callUntil(outage, (served) => served.includes('first'));
  expect(clock.monotonic() - healedAt).toBeLessThanOrEqual(BACK_WITHIN_MS);
  expectServedBy(await callAtOnce(outage.atOnce), 'first');
});
