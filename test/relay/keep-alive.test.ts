// A quiet stream is kept alive, but only once something was sent: before that, silence lets another channel take over.

import { afterEach, describe, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { cutAt, isBytes } from '../support/script.ts';
import { startSlowClient } from '../support/slow-client.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

const KEEP_ALIVES = {
  chat: ': ping\n\n',
  messages: 'event: ping\ndata: {"type":"ping"}\n\n',
  responses: 'event: response.in_progress\n',
  gemini: '"parts":[{"text":""}]',
};
let lab: Lab;
let clock: ManualClock;
afterEach(async () => {
  // A drain polls by the clock.
  const stopped = lab.stop();
  await eventually('the gateway to stop', async () => {
    await clock.advance(100);
    return Promise.race([stopped.then(() => true), Bun.sleep(1).then(() => false)]);
  });
});

describe.each(WIRE_CLIENTS)('$name', (client) => {
  const start = async () => {
    clock = createManualClock();
    lab = await startLab(client, { clock, channels: { timeouts: { first_token_ms: 600_000, idle_ms: 600_000 } } });
  };
  const call = () =>
    startSlowClient({
      port: lab.gateway.port,
      ...client.call({ model: 'main', stream: true }),
      key: lab.account.key,
    });
  const count = (text: string) => text.split(KEEP_ALIVES[client.name]).length - 1;
  const stalledAfter = (piece: string) => {
    const script = client.stream();
    const parts = (script.body ?? []).filter(isBytes).map(String);
    const at = parts.findIndex((part) => part.includes(JSON.stringify(piece)));
    return cutAt(script, parts.slice(0, at + 1).join('').length, 'stall');
  };

  test('after 10 s without bytes, and again after 10 more', async () => {
    await start();
    lab.first.next(stalledAfter('Hello'));
    const slow = call();
    await eventually('the first word', () => slow.text().includes('Hello'));
    // The upstream's own passes, too.
    const before = count(slow.text());
    await clock.advance(9_900);
    expect(count(slow.text())).toBe(before);
    for (const more of [1, 2, 3]) {
      await clock.advance(more === 1 ? 200 : 10_000);
      await eventually('one more', () => count(slow.text()) === before + more);
    }
    slow.hangUp();
    await eventually(
      'the end of the call',
      async () => (await lab.gateway.get('/api/me', lab.account.key)).held_nano === '0',
    );
  });

  test('never before the first event', async () => {
    await start();
    lab.first.next(cutAt(client.stream(), 'head', 'stall'));
    const slow = call();
    await lab.first.request(0);
    for (let n = 0; n < 4; n++) await clock.advance(10_000);
    expect(slow.text()).toBe('');
    slow.hangUp();
    await eventually(
      'the end of the call',
      async () => (await lab.gateway.get('/api/me', lab.account.key)).held_nano === '0',
    );
  });
});
