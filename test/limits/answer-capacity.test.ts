// Room for large answers: all of them have half of it, those of one account come one after the other once they are many, and
// whoever leaves makes room for who waits.

import { expect, test } from 'bun:test';
import { Fault } from '../../src/faults/fault.ts';
import { Load } from '../../src/limits/load.ts';

const MIB = 1024 * 1024;
const openRooms = (megabytes: number) => {
  const load = new Load({ requests: 100, bodyBytes: megabytes * MIB });
  const open = (account = 'a', isFree = false) => {
    const call = load.acquire(account);
    if (isFree) call.becomeFree();
    return call.openAnswer();
  };
  return { load, open };
};
/** Whether it had its room at once, and if not, when it gets it. */
const state = (growing: Promise<void> | undefined) => (growing ? Bun.peek.status(growing) : 'at once');

test.each([
  [100_000, 256, 256],
  [500, 250, 200],
  [200, 100, 80],
  [50, 25, 20],
])('of %d MiB one answer may have %d, a free one %d, and gets them', (megabytes, most, mostFree) => {
  for (const [isFree, megabytesOfIt] of [
    [false, most],
    [true, mostFree],
  ] as const) {
    const { load } = openRooms(megabytes);
    const call = load.acquire('a');
    call.grow(24 * MIB);
    if (isFree) call.becomeFree();
    const room = call.openAnswer();
    expect(room.maxBytes).toBe(megabytesOfIt * MIB);
    expect(state(room.grow(room.maxBytes))).toBe('at once');
  }
});

test('answers of an account come beside each other while they are few, then in turn; small ones always', async () => {
  const { open } = openRooms(512);
  const [first, second, small, other] = [open(), open(), open(), open('b')];
  expect(state(first.grow(32 * MIB))).toBe('at once');
  expect(state(second.grow(32 * MIB))).toBe('at once');
  expect(state(first.grow(MIB))).toBe('at once');
  const waiting = second.grow(MIB);
  expect(state(waiting)).toBe('pending');
  expect(state(small.grow(4 * MIB))).toBe('at once');
  expect(state(other.grow(60 * MIB))).toBe('at once');
  first.finishReading();
  await waiting;
  expect(state(second.grow(100 * MIB))).toBe('at once');
});

test('an answer that waits for memory gets it when another is released', async () => {
  const { open } = openRooms(400);
  const [first, second] = [open('a'), open('b')];
  expect(state(first.grow(150 * MIB))).toBe('at once');
  const waiting = second.grow(100 * MIB);
  expect(state(waiting)).toBe('pending');
  first.release();
  await waiting;
});

test('whose turn it is hands it on also when it leaves half read', () => {
  const { open } = openRooms(512);
  const [first, second] = [open(), open()];
  expect(state(first.grow(100 * MIB))).toBe('at once');
  const waiting = second.grow(70 * MIB);
  expect(state(waiting)).toBe('pending');
  first.release();
  expect(state(waiting)).toBe('fulfilled');
});

test('an answer that is released while it waits is rejected, and takes nothing', async () => {
  const { open } = openRooms(200);
  const [first, second] = [open(), open()];
  first.grow(90 * MIB);
  const waiting = second.grow(20 * MIB);
  second.release();
  await expect(waiting).rejects.toBeInstanceOf(Fault);
  first.release();
  first.release();
  expect(state(open().grow(100 * MIB))).toBe('at once');
});

test('whatever answers there are, bodies have half of the memory; and no answer waits for a body', () => {
  const { load, open } = openRooms(128);
  for (const account of ['a', 'b', 'c', 'd']) open(account).grow(20 * MIB);
  load.acquire('e').grow(64 * MIB);
  expect(() => load.acquire('f').grow(10 * MIB)).toThrow(Fault);
  const { load: full } = openRooms(128);
  for (const account of ['a', 'b']) full.acquire(account).grow(64 * MIB);
  expect(
    state(
      full
        .acquire('c')
        .openAnswer()
        .grow(64 * MIB),
    ),
  ).toBe('at once');
});

test('a free answer does not use memory that is reserved for paid ones', () => {
  const { open } = openRooms(400);
  open('a').grow(90 * MIB);
  expect(state(open('b', true).grow(80 * MIB))).toBe('pending');
  expect(state(open('c').grow(80 * MIB))).toBe('at once');
});
