// When a process is started, and when no more: with processes that a test ends by hand, on a clock of its own.

import { beforeEach, expect, test } from 'bun:test';
import { createLog } from '../../../src/kit/log.ts';
import type { Child } from '../../../src/server/processes/child.ts';
import { supervise } from '../../../src/server/processes/supervisor.ts';
import { createLogCapture, type LogCapture } from '../../support/log-capture.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

interface FakeChild extends Child {
  index: number;
  follows: boolean;
  signals: NodeJS.Signals[];
  serve(): void;
  end(code: number): void;
}

let clock: ManualClock;
let log: LogCapture;
let started: FakeChild[];
/** Whether the machine has room for one more. */
let hasRoom: boolean;
let supervisor: ReturnType<typeof supervise>;
beforeEach(() => {
  clock = createManualClock();
  log = createLogCapture();
  started = [];
  hasRoom = true;
});

function start(index: number, follows: boolean): FakeChild {
  if (!hasRoom) throw new Error('no room');
  const served = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<number>();
  const signals: NodeJS.Signals[] = [];
  const child = {
    pid: started.length + 1,
    index,
    follows,
    signals,
    served: served.promise,
    ended: ended.promise,
    signal: (name: NodeJS.Signals) => void signals.push(name),
    serve: () => served.resolve(true),
    end(code: number) {
      served.resolve(false);
      ended.resolve(code);
    },
  };
  started.push(child);
  return child;
}

/** Lets what was set in motion come to rest. */
const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await clock.advance(0);
};

async function superviseThree(): Promise<void> {
  supervisor = supervise({ count: 3, clock, log: createLog(clock, log.write), start });
  await settle();
}

async function serveThree(): Promise<void> {
  await superviseThree();
  newest().serve();
  await settle();
  for (const child of started) child.serve();
  await settle();
}

function newest(): FakeChild {
  const child = started.at(-1);
  if (!child) throw new Error('nothing was started');
  return child;
}

test('the first starts alone, the others once it serves', async () => {
  await superviseThree();
  expect(started.map(({ index }) => index)).toEqual([0]);
  newest().serve();
  await settle();
  expect(started.map(({ index }) => index)).toEqual([0, 1, 2]);
});

test('only the first of all decides on the catalog: who joins it or takes its place follows', async () => {
  await serveThree();
  expect(started.map(({ follows }) => follows)).toEqual([false, true, true]);
  started[0]?.end(137);
  await settle();
  await clock.advance(200);
  await settle();
  expect([newest().index, newest().follows]).toEqual([0, true]);
});

test('a first that cannot start is the end, with its code, and nothing else is started', async () => {
  await superviseThree();
  newest().end(3);
  expect(await supervisor.ended).toBe(3);
  expect(started).toHaveLength(1);
  expect(log.lines()).toEqual([]);
});

test('one of the others that cannot start is the end, too: those that serve drain', async () => {
  await superviseThree();
  newest().serve();
  await settle();
  newest().end(1);
  await settle();
  const [first, second] = started;
  expect([first?.signals, second?.signals]).toEqual([['SIGTERM'], ['SIGTERM']]);
  first?.end(0);
  second?.end(143);
  expect(await supervisor.ended).toBe(1);
  expect(started).toHaveLength(3);
});

test('one that keeps dying is started anew after pauses that grow to half a minute', async () => {
  await serveThree();
  const pauses: number[] = [];
  for (let death = 0; death < 10; death++) {
    const before = started.length;
    newest().end(death % 2 === 0 ? 137 : 1);
    await settle();
    const since = clock.monotonic();
    while (started.length === before) await clock.advance(100);
    pauses.push(clock.monotonic() - since);
    await settle();
    // Now and then it comes as far as serving.
    if (death % 3 === 0) newest().serve();
    await settle();
  }
  expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  expect(new Set(started.slice(3).map(({ index }) => index))).toEqual(new Set([2]));
  expect(log.lines().filter(({ event }) => event === 'process_ended')).toHaveLength(10);
});

test('one that served for a minute starts anew after the first pause again', async () => {
  await serveThree();
  for (const pause of [200, 400]) {
    newest().end(1);
    await settle();
    expect(log.lines().at(-1)).toMatchObject({ event: 'process_ended', code: '1', ms: pause });
    await clock.advance(pause);
    await settle();
    newest().serve();
    await settle();
  }
  await clock.advance(60_000);
  newest().end(0);
  await settle();
  expect(log.lines().at(-1)).toMatchObject({ event: 'process_ended', code: '0', ms: 200 });
});

test('a signal goes to all; the first code that is not 0 is the code, and a pause ends at once', async () => {
  await serveThree();
  newest().end(137);
  await settle();
  supervisor.stop('SIGINT');
  supervisor.stop('SIGINT');
  const [first, second] = started;
  expect([first?.signals, second?.signals]).toEqual([
    ['SIGINT', 'SIGINT'],
    ['SIGINT', 'SIGINT'],
  ]);
  first?.end(0);
  second?.end(130);
  expect(await supervisor.ended).toBe(130);
  expect(started).toHaveLength(3);
});

test('one that dies of the signal itself, before it served, does not spoil the code', async () => {
  await superviseThree();
  supervisor.stop('SIGTERM');
  newest().end(143);
  expect(await supervisor.ended).toBe(0);
});

test('a reload goes to one that serves: the others follow the database', async () => {
  await superviseThree();
  supervisor.reload();
  newest().serve();
  await settle();
  supervisor.reload();
  started[0]?.end(137);
  for (const child of started.slice(1)) child.serve();
  await settle();
  supervisor.reload();
  expect(started.map(({ signals }) => signals)).toEqual([['SIGHUP'], ['SIGHUP'], []]);
});

test('a machine without room for one more is asked again, and the others go on', async () => {
  await serveThree();
  hasRoom = false;
  started[1]?.end(137);
  await settle();
  await clock.advance(200);
  await settle();
  expect(log.lines().map(({ event }) => event)).toContain('process_not_started');
  expect(started).toHaveLength(3);
  hasRoom = true;
  await clock.advance(400);
  await settle();
  expect(started).toHaveLength(4);
  expect(started.slice(0, 3).flatMap(({ signals }) => signals)).toEqual([]);
});
