// An outage over twenty calls: clients notice nothing, the broken channel is soon left alone, asked again by one call at a
// time, ever more rarely, and used again as soon as it answers.

import { afterEach, describe, expect, test } from 'bun:test';
import { createGate } from '../support/eventually.ts';
import type { TestAccount } from '../support/gateway.ts';
import { costAt, type Lab, MAIN, startLab, TRIAL } from '../support/lab.ts';
import { IS_LONG_RUN } from '../support/long-run.ts';
import { untilHeard } from '../support/race.ts';
import { bodyLength, cutAt, isBytes } from '../support/script.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

/** So many are there for all calls within ten seconds. */
const REPEATS = 10;

let lab: Lab;
let clock: ShiftedClock;
afterEach(() => lab.stop());

describe.each(WIRE_CLIENTS)('$name', (client) => {
  describe.each([{ stream: false }, { stream: true }])('stream: $stream', ({ stream }) => {
    const answer = () => (stream ? client.stream() : client.whole());
    const start = async () => {
      clock = createShiftedClock({ standsStill: true });
      lab = await startLab(client, { clock });
      lab.second.otherwise(answer());
    };
    /** Time passes, and the node's lease with it. */
    function pass(ms: number): void {
      clock.skip(ms);
      lab.gateway.sql('UPDATE leases SET expires_at = expires_at + ? RETURNING node_id', ms);
    }
    async function call(): Promise<{ channel: string | null; askedFirst: number }> {
      const before = lab.first.requests.length;
      const asked = await lab.ask({ stream });
      expect(asked.status).toBe(200);
      expect(asked.record.cost_nano).toBe(costAt(MAIN, 11, 7));
      return { channel: asked.headers.get('x-svc-channel'), askedFirst: lab.first.requests.length - before };
    }

    test('an outage and its end', async () => {
      await start();
      lab.first.otherwise(client.refusal(503, 'other'));
      const seen = [];
      for (let n = 0; n < 8; n++) seen.push(await call());
      expect(seen.every(({ channel }) => channel === 'second')).toBe(true);
      // Two tries each, until the fifth failure in a row opens the breaker.
      expect(seen.map(({ askedFirst }) => askedFirst)).toEqual([2, 2, 1, 0, 0, 0, 0, 0]);

      pass(4_500);
      expect(await call()).toEqual({ channel: 'second', askedFirst: 0 });
      pass(600);
      expect(await call()).toEqual({ channel: 'second', askedFirst: 1 });
      expect(await call()).toEqual({ channel: 'second', askedFirst: 0 });
      pass(5_100);
      expect(await call()).toEqual({ channel: 'second', askedFirst: 0 });

      lab.first.otherwise(answer());
      pass(5_000);
      for (let n = 0; n < 8; n++) expect(await call()).toEqual({ channel: 'first', askedFirst: 1 });
      expect(await lab.records()).toHaveLength(20);
      expect(await lab.balance()).toBe(TRIAL - 20n * BigInt(costAt(MAIN, 11, 7)));
      expect(lab.gateway.audit()).toEqual([]);
    });

    if (stream) {
      test('streams that all break after their first word are failures in a row', async () => {
        await start();
        const parts = (answer().body ?? []).filter(isBytes);
        const first = parts.findIndex((part) => String(part).includes('Hello'));
        const after = bodyLength({ body: parts.slice(0, first + 1) });
        lab.first.otherwise(() => cutAt(answer(), after, 'rst', 30));
        const asked = [];
        for (let n = 0; n < 5; n++) {
          const before = lab.first.requests.length;
          expect((await lab.ask({ stream })).answer.complete).toBe(true);
          asked.push(lab.first.requests.length - before);
        }
        expect(asked).toEqual([2, 2, 1, 0, 0]);
      });
    }

    test('401 opens at once, with an alarm', async () => {
      await start();
      lab.first.otherwise(client.refusal(401, 'other'));
      expect(await call()).toEqual({ channel: 'second', askedFirst: 1 });
      expect(await call()).toEqual({ channel: 'second', askedFirst: 0 });
      expect(lab.gateway.log.alarms('upstream_refused_our_key')).toHaveLength(1);
    });

    test('with every breaker open the response says to retry', async () => {
      await start();
      lab.first.otherwise(client.refusal(401, 'other'));
      lab.second.otherwise(client.refusal(402, 'other'));
      expect((await lab.ask({ stream })).status).toBe(502);
      const asked = await lab.ask({ stream });
      expect(asked.status).toBe(client.unavailable);
      expect(Number(asked.headers.get('retry-after'))).toBeWithin(1, 56);
      const { message, actions } = client.faultOf(asked.json);
      expect(message).toStartWith('No channel of this model is available right now.');
      expect(actions).toMatchObject([{ method: 'GET', href: `${lab.gateway.url}/v1/models` }]);
      expect(asked.attempts).toEqual([]);
      expect(lab.first.requests).toHaveLength(1);
    });

    // The rest does not depend on the format of the answers.
    if (client !== WIRE_CLIENTS[0] && !IS_LONG_RUN) return;

    test('a probe that a call may not make, because no repeat is left, is made by the next one', async () => {
      clock = createShiftedClock({ standsStill: true });
      lab = await startLab(client, { clock, routes: ['first'] });
      for (let n = 0; n < REPEATS; n++) {
        lab.third.next(client.refusal(503, 'other'), answer());
        expect((await lab.ask({ model: 'spare', stream })).attempts).toHaveLength(2);
      }
      const gate = createGate();
      const refusal = client.refusal(503, 'other');
      lab.first.next({ ...refusal, body: [gate.opened, ...(refusal.body ?? [])] });
      lab.first.otherwise(refusal);
      const longest = lab.ask({ stream });
      await lab.first.request(0);
      for (let n = 0; n < 5; n++) await lab.ask({ stream });
      expect(lab.first.requests).toHaveLength(6);
      pass(5_100);
      gate.open();
      expect((await longest).attempts).toEqual([['first', 'upstream_error']]);

      lab.first.otherwise(answer());
      expect(await call()).toEqual({ channel: 'first', askedFirst: 1 });
    });

    test('one probe at a time', async () => {
      await start();
      lab.first.otherwise(client.refusal(503, 'other'));
      for (let n = 0; n < 3; n++) await call();
      pass(5_100);
      const gate = createGate();
      const slow = answer();
      lab.first.otherwise({ ...slow, body: [gate.opened, ...(slow.body ?? [])] });
      const before = lab.first.requests.length;
      const probe = lab.ask({ stream });
      await lab.first.request(before);
      const another = async () => lab.read(await untilHeard(() => lab.open({ stream })));
      const others = await Promise.all(Array.from({ length: 10 }, another));
      expect(others.map(({ headers }) => headers.get('x-svc-channel'))).toEqual(Array(10).fill('second'));
      gate.open();
      expect((await probe).headers.get('x-svc-channel')).toBe('first');
      expect(lab.first.requests).toHaveLength(before + 1);
    });

    test('failures that one account may have provoked close the channel for that account alone', async () => {
      await start();
      lab.first.otherwise(client.refusal(500, 'other'));
      for (let n = 0; n < 4; n++) await call();
      expect(await call()).toEqual({ channel: 'second', askedFirst: 0 });
      const other = await lab.gateway.register();
      const third = await lab.gateway.register();
      const askFor = async ({ key }: TestAccount) => {
        const { path, body } = client.call({ model: 'main', stream });
        const response = await lab.gateway.call(path, { key, body });
        await response.text();
        return response.headers.get('x-svc-channel');
      };
      lab.first.otherwise(answer());
      expect(await askFor(other)).toBe('first');
      pass(100);
      // Two accounts meet five failures in a row: then it is closed for a third.
      lab.first.otherwise(client.refusal(500, 'other'));
      for (let n = 0; n < 3; n++) expect(await askFor(other)).toBe('second');
      pass(5_100);
      expect((await call()).askedFirst).toBe(1);
      lab.first.otherwise(answer());
      expect(await askFor(third)).toBe('second');
    });

    test('half of twenty calls failing opens it too, though never five in a row', async () => {
      await start();
      let n = 0;
      lab.first.otherwise(() => (n++ % 2 === 0 ? client.refusal(429, 'other', { 'retry-after': '30' }) : answer()));
      const asked = [];
      for (let index = 0; index < 22; index++) asked.push((await call()).askedFirst);
      expect(asked.slice(0, 20)).toEqual(Array(20).fill(1));
      expect(asked.at(-1)).toBe(0);
    });

    test('and when: as soon as the first of them lets a call through', async () => {
      await start();
      const ask = async () => {
        const { status, headers } = await lab.ask({ stream });
        return [status, headers.get('retry-after')];
      };
      lab.first.otherwise(client.refusal(401, 'other'));
      expect((await call()).channel).toBe('second');
      pass(2_100);
      lab.second.otherwise(client.refusal(402, 'other'));
      expect(await ask()).toEqual([502, '5']);
      expect(await ask()).toEqual([client.unavailable, '3']);
      pass(500);
      expect(await ask()).toEqual([client.unavailable, '3']);
      // A probe of the first one fails, which then stays shut for 10 s; the second one's is due within 2 s.
      pass(2_700);
      expect(await ask()).toEqual([502, '5']);
      expect(await ask()).toEqual([client.unavailable, '2']);
      pass(2_200);
      expect(await ask()).toEqual([502, '5']);
      expect(await ask()).toEqual([client.unavailable, '8']);
    });
  });
});
