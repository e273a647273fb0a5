// Room for large answers: those of one account come one after the other, nobody has more than a share, and whoever leaves
// makes room for who waits.

import { expect, test } from 'bun:test';
import { Fault } from '../../src/faults/fault.ts';
import { createLoad } from '../../src/limits/load.ts';

const MIB = 1024 * 1024;
const openRooms = (megabytes: number) => {
  const load = createLoad(() => ({ requests: 100, bodyBytes: megabytes * MIB }));
  return { load, open: (account = 'a', isFree = false) => load.enter(account).openAnswer(isFree) };
};
/** Whether it had its room at once, and if not, when it gets it. */
const state = (growing: Promise<void> | undefined) => (growing ? Bun.peek.status(growing) : 'at once');

test.each([
  [100_000, 256],
  [512, 256],
  [200, 100],
  [100, 64],
  [25, 25],
])('of %d MiB one answer may have %d', (megabytes, most) => {
  expect(openRooms(megabytes).open().most).toBe(most * MIB);
});

test('small answers of an account come beside each other, large ones in turn', async () => {
  const { open } = openRooms(512);
  const [first, second, other] = [open(), open(), open('b')];
  expect(state(first.grow(4 * MIB))).toBe('at once');
  expect(state(second.grow(4 * MIB))).toBe('at once');
  expect(state(first.grow(MIB))).toBe('at once');
  const waiting = second.grow(MIB);
  expect(state(waiting)).toBe('pending');
  expect(state(other.grow(5 * MIB))).toBe('at once');
  first.isRead();
  await waiting;
  expect(state(second.grow(100 * MIB))).toBe('at once');
});

test('who waits for room gets it when another has left', async () => {
  const { load, open } = openRooms(200);
  const body = load.enter('c');
  body.grow(40 * MIB);
  const [first, second, third] = [open('a'), open('b'), open('d')];
  expect(state(first.grow(90 * MIB))).toBe('at once');
  expect(state(second.grow(50 * MIB))).toBe('at once');
  const afterBody = second.grow(50 * MIB);
  const afterAnswer = third.grow(100 * MIB);
  expect([state(afterBody), state(afterAnswer)]).toEqual(['pending', 'pending']);
  body.leave();
  await afterBody;
  expect(state(afterAnswer)).toBe('pending');
  first.leave();
  await afterAnswer;
});

test('who leaves while it waits is told, and takes nothing', async () => {
  const { open } = openRooms(200);
  const [first, second] = [open(), open()];
  first.grow(90 * MIB);
  const waiting = second.grow(20 * MIB);
  second.leave();
  expect(waiting).rejects.toBeInstanceOf(Fault);
  first.leave();
  first.leave();
  expect(state(open().grow(100 * MIB))).toBe('at once');
});

test('an answer takes nothing of what the bodies of its account may have, and of all the room as they do', () => {
  const { load, open } = openRooms(200);
  expect(state(open('a').grow(100 * MIB))).toBe('at once');
  load.enter('a').grow(60 * MIB);
  expect(() => load.enter('b').grow(50 * MIB)).toThrow(Fault);
});

test('a free answer keeps out of what is kept for those who pay', () => {
  const { open } = openRooms(200);
  open('a').grow(90 * MIB);
  expect(state(open('b', true).grow(80 * MIB))).toBe('pending');
  expect(state(open('c').grow(80 * MIB))).toBe('at once');
});
