// Callers at the same moment, up to 700 of them, against every limit of the table: exactly as many get through as it says.
// Exported once, run with one gateway on SQLite and with two gateways on one PostgreSQL.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createCardCode } from '../../src/accounts/card-code.ts';
import { systemRandom } from '../../src/kit/random.ts';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { countOf, type Raced, type RacingCall, race } from '../support/race.ts';
import { createWorkplace, type RunningServer, type Workplace } from '../support/start-process.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

export interface RaceStore {
  /** The environment that makes a gateway use it. */
  env: Readonly<Record<string, string>>;
  nodes: number;
  remove(): Promise<void>;
}

type Fields = Record<string, number | null>;

const TIMEOUT_MS = 120_000;
const MANY = 1_000_000;
const SITE_PER_DAY = 200;
const MESSAGES = [{ role: 'user', content: 'Hi' }];

export function describeLimitRaces(name: string, open: () => Promise<RaceStore>): void {
  describe(`${name}: of many at once exactly the limit is admitted:`, () => {
    const place: Workplace = createWorkplace();
    let store: RaceStore;
    let upstream: ScriptedUpstream;
    let servers: RunningServer[];
    let env: Record<string, string>;
    let registered = 0;
    let applied = 1;

    const write = (limits: Fields, guards: Fields = {}) =>
      place.write('gateway.yaml', {
        channels: [openaiChannel('up', upstream.baseUrl)],
        models: [
          upModel('auto:free', { price: 'free' }),
          upModel('cheap', { price: { input: 0.001, output: 0.001 } }),
          upModel('even', { price: { input: 1_000, output: 1_000 } }),
        ],
        limits,
        guards: { register_attempts_per_minute: null, free_in_flight: null, ...guards },
      });

    /** On every node. */
    async function apply(limits: Fields, guards?: Fields): Promise<void> {
      const { exitCode, stderr } = await place.gateway(['config', 'apply', write(limits, guards)], env);
      if (exitCode !== 0) throw new Error(stderr);
      await eventually('every node to follow', async () => {
        const revisions = await Promise.all(servers.map(revisionOf));
        return revisions.every((revision) => revision > applied);
      });
      applied++;
    }

    beforeAll(async () => {
      store = await open();
      upstream = await startUpstream();
      upstream.otherwise(chatAnswer());
      env = { SECRETS_PEPPER: 'a pepper for races only', TRUSTED_PROXIES: '127.0.0.1', ...store.env };
      write({});
      // The first one brings the document, the others find it.
      servers = [await place.serve(env)];
      while (servers.length < store.nodes) servers.push(await place.serve(env));
    }, TIMEOUT_MS);
    afterAll(async () => {
      await place.remove();
      await upstream.close();
      await store.remove();
    }, TIMEOUT_MS);

    const portOf = (racer: number) => Number(new URL(servers[racer % servers.length]?.url ?? '').port);
    const address = (index: number) => `198.18.${Math.floor(index / 256)}.${index % 256}`;
    const racers = (count: number, call: (racer: number) => Omit<RacingCall, 'port'>): RacingCall[] =>
      Array.from({ length: count }, (_, racer) => ({ port: portOf(racer), ...call(racer) }));
    const chat = (key: string, model: string): Omit<RacingCall, 'port'> => ({
      path: '/v1/chat/completions',
      key,
      body: { model, max_tokens: 20, messages: MESSAGES },
      headers: { 'x-svc-no-wait': '1' },
    });
    const registering = (index: number): Omit<RacingCall, 'port'> => ({
      path: '/api/agent/register',
      body: {},
      headers: { 'x-forwarded-for': address(index) },
    });
    async function register(count = 1): Promise<string[]> {
      const first = registered;
      const made = await race(racers(count, (racer) => registering(10_000 + first + racer)));
      registered += countOf(made, 201);
      return made.map(({ json }) => json.api_key);
    }
    const get = async (path: string, key: string, racer = 0): Promise<Answer> =>
      (await fetch(`http://127.0.0.1:${portOf(racer)}${path}`, { headers: { authorization: `Bearer ${key}` } })).json();
    const guess = (key: string, from: number): Omit<RacingCall, 'port'> => ({
      path: '/api/redeem',
      key,
      body: { code: createCardCode(systemRandom) },
      headers: { 'x-forwarded-for': address(from) },
    });

    test(
      'registrations of an address: 3 of 100',
      async () => {
        const raced = await race(racers(100, () => registering(1)));
        registered += countOf(raced, 201);
        expect([countOf(raced, 201), countOf(raced, 429, 'registration_ip_limit')]).toEqual([3, 97]);
      },
      TIMEOUT_MS,
    );

    test(
      'free calls of a minute: 6 of 100, told alike by every node',
      async () => {
        const [key = ''] = await register();
        const raced = await race(racers(100, () => chat(key, 'auto:free')));
        expect([countOf(raced, 200), countOf(raced, 429, 'free_minute_limit')]).toEqual([6, 94]);
        for (let node = 0; node < servers.length; node++) {
          expect((await get('/api/me', key, node)).free).toMatchObject({ minute: { used: 6 }, day: { used: 6 } });
        }
      },
      TIMEOUT_MS,
    );

    test(
      'paid calls in flight: 32 of 150; they end, and 32 more fit',
      async () => {
        const [key = ''] = await register();
        for (let round = 0; round < 2; round++) {
          const gate = createGate();
          upstream.otherwise({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
          const refused: Raced[] = [];
          const running = race(
            racers(150, () => chat(key, 'cheap')),
            (one) => refused.push(one),
          );
          await eventually('all but those in flight', () => refused.length === 118, TIMEOUT_MS);
          expect(countOf(refused, 429, 'too_many_in_flight')).toBe(118);
          gate.open();
          expect(countOf(await running, 200)).toBe(32);
          upstream.otherwise(chatAnswer());
          await eventually('the end of all', async () => (await get('/api/me', key)).held_nano === '0');
        }
      },
      TIMEOUT_MS,
    );

    test(
      'wrong cards of an account: 5 of 100 in ten minutes, from however many addresses',
      async () => {
        const [key = ''] = await register();
        const raced = await race(racers(100, (racer) => guess(key, 500 + racer)));
        expect([countOf(raced, 404), countOf(raced, 429, 'redeem_rate_limited')]).toEqual([5, 95]);
      },
      TIMEOUT_MS,
    );

    test(
      'wrong cards of an address: 20 of 120 in an hour, from however many accounts',
      async () => {
        const keys = await register(60);
        const raced = await race(racers(120, (racer) => guess(keys[racer % keys.length] ?? '', 7)));
        expect([countOf(raced, 404), countOf(raced, 429, 'redeem_rate_limited')]).toEqual([20, 100]);
      },
      TIMEOUT_MS,
    );

    describe('with the other limits out of the way,', () => {
      beforeAll(async () => {
        await apply({ free_per_minute: MANY, in_flight: MANY });
      }, TIMEOUT_MS);

      test(
        'free calls of a day with a balance: 300 of 400',
        async () => {
          const [key = ''] = await register();
          const raced = await race(racers(400, () => chat(key, 'auto:free')));
          expect([countOf(raced, 200), countOf(raced, 429, 'free_daily_limit')]).toEqual([300, 100]);
        },
        TIMEOUT_MS,
      );

      test(
        'free calls of a day without one: 100 of 200',
        async () => {
          const [key = ''] = await register();
          upstream.next(chatAnswer({ usage: { prompt_tokens: 10_000_000, completion_tokens: 10_000_000 } }));
          await race(
            racers(1, () => ({ ...chat(key, 'even'), body: { model: 'even', max_tokens: 1_000, messages: MESSAGES } })),
          );
          await eventually('an empty wallet', async () => (await get('/api/me', key)).balance_nano === '0');
          const raced = await race(racers(200, () => chat(key, 'auto:free')));
          expect([countOf(raced, 200), countOf(raced, 429, 'free_daily_limit')]).toEqual([100, 100]);
        },
        TIMEOUT_MS,
      );

      test(
        'paid calls of a minute: 600 of 700',
        async () => {
          const [key = ''] = await register();
          const raced = await race(racers(700, () => chat(key, 'cheap')));
          expect([countOf(raced, 200), countOf(raced, 429, 'rate_limited')]).toEqual([600, 100]);
        },
        TIMEOUT_MS,
      );
    });

    test(
      'free calls of an address, where they are limited: 37 of 150, over all its accounts',
      async () => {
        await apply({ free_per_minute: MANY }, { free_per_address_day: 37 });
        const keys = await register(10);
        const raced = await race(
          racers(150, (racer) => ({
            ...chat(keys[racer % keys.length] ?? '', 'auto:free'),
            headers: { 'x-forwarded-for': address(9) },
          })),
        );
        expect([countOf(raced, 200), countOf(raced, 429, 'free_daily_limit')]).toEqual([37, 113]);
      },
      TIMEOUT_MS,
    );

    test(
      'registrations of an hour, where they are paced: 5 of 100',
      async () => {
        // Those before the guard count, too.
        await apply({}, { register_per_hour: registered + 5 });
        const raced = await race(racers(100, (racer) => registering(20_000 + racer)));
        registered += countOf(raced, 201);
        expect([countOf(raced, 201), countOf(raced, 429, 'registration_site_limit')]).toEqual([5, 95]);
      },
      TIMEOUT_MS,
    );

    test(
      'registrations of the whole site in a day: what is left of 200, of 300',
      async () => {
        await apply({});
        const raced = await race(racers(300, (racer) => registering(30_000 + racer)));
        expect(countOf(raced, 201)).toBe(SITE_PER_DAY - registered);
        expect(countOf(raced, 429, 'registration_site_limit')).toBe(300 - (SITE_PER_DAY - registered));
      },
      TIMEOUT_MS,
    );

    test(
      'and the ledger is in order',
      async () => {
        expect((await place.gateway(['ledger', 'audit'], env)).exitCode).toBe(0);
      },
      TIMEOUT_MS,
    );
  });
}

async function revisionOf({ url }: RunningServer): Promise<number> {
  const catalog: Answer = await (await fetch(`${url}/api/public/catalog`)).json();
  return catalog.revision;
}
