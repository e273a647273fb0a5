// How long a request may take: twenty minutes until its answer begins, an hour for a stream that goes on delivering.

import { afterEach, describe, expect, test } from 'bun:test';
import { createGate } from '../support/eventually.ts';
import { type Lab, startLab, TRIAL } from '../support/lab.ts';
import { cutAt, isBytes } from '../support/script.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

const MINUTE_MS = 60_000;
let lab: Lab;
let clock: ShiftedClock;
afterEach(() => lab.stop());

/** Time passes, and the node's lease with it. */
function pass(ms: number): void {
  clock.skip(ms);
  lab.gateway.sql('UPDATE leases SET expires_at = expires_at + ? RETURNING node_id', ms);
}

describe.each(WIRE_CLIENTS)('$name', (client) => {
  const start = async () => {
    clock = createShiftedClock();
    lab = await startLab(client, { clock });
    lab.second.otherwise(client.stream());
  };

  test.each([
    [19, true],
    [20, false],
  ])('after %d minutes in a first try, another is made: %p', async (minutes, isMade) => {
    await start();
    lab.first.otherwise(() => {
      pass(minutes * MINUTE_MS);
      return client.refusal(404, 'other');
    });
    const { status } = await lab.ask({ stream: true });
    expect(status).toBe(isMade ? 200 : 502);
    expect(lab.second.requests).toHaveLength(isMade ? 1 : 0);
  });

  test('a stream that says nothing for the time of its channel has fallen silent, and another goes on', async () => {
    clock = createShiftedClock();
    lab = await startLab(client, { clock, channels: { timeouts: { total_ms: 300 } } });
    lab.second.otherwise(client.stream());
    const script = client.stream();
    const parts = (script.body ?? []).filter(isBytes).map(String);
    const at = parts.findIndex((part) => part.includes('"Hello"')) + 1;
    // Comments are signs of life, but nothing is delivered.
    const body = [...parts.slice(0, at), ...Array.from({ length: 40 }, () => [50, ': still here\n\n']).flat()];
    lab.first.otherwise({ ...script, body });
    const { answer, attempts } = await lab.ask({ stream: true });
    expect(answer.complete).toBe(true);
    expect(attempts).toEqual([
      ['first', 'idle'],
      ['second', 'ok'],
    ]);
  });

  test('a stream that breaks after an hour is not resumed', async () => {
    await start();
    const script = client.stream();
    const parts = (script.body ?? []).filter(isBytes).map(String);
    const at = parts.findIndex((part) => part.includes('"Hello"')) + 1;
    const begun = parts.slice(0, at);
    const gate = createGate();
    const body = [...begun, gate.opened, ...parts.slice(at)];
    lab.first.otherwise(cutAt({ ...script, body }, begun.join('').length + 1, 'rst'));
    const response = await lab.open({ stream: true });
    pass(60 * MINUTE_MS);
    gate.open();
    const { answer } = await lab.read(response);
    expect(answer.complete).toBe(false);
    expect(answer.error).toBeDefined();
    expect(lab.second.requests).toEqual([]);
    expect(await lab.balance()).toBe(TRIAL);
  });
});
