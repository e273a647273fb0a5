// What sockets remember: how much one account may keep, and that it is given back.

import { expect, test } from 'bun:test';
import { KeptAnswers, KeptMemory, MAX_KEPT, MAX_KEPT_CHARS } from '../../../src/http/sockets/kept-answers.ts';

const ITEMS = 'x'.repeat(10);

function fill(memory: KeptMemory, account: string, count: number): KeptAnswers[] {
  return Array.from({ length: count }, () => {
    const answers = new KeptAnswers(memory, account);
    answers.keep('resp_1', { streamId: undefined, items: ITEMS });
    return answers;
  });
}

const kept = (all: readonly KeptAnswers[]) => all.filter((one) => one.find('resp_1') === ITEMS).length;

test('an account has a quarter of the memory, whatever the number of its sockets', () => {
  const memory = new KeptMemory(100);
  expect(kept(fill(memory, 'first', 10))).toBe(2);
  expect(kept(fill(memory, 'second', 10))).toBe(2);
});

test('all accounts together have no more than all of it', () => {
  const memory = new KeptMemory(100);
  expect(Array.from({ length: 8 }, (_, index) => kept(fill(memory, `account ${index}`, 2)))).toEqual([
    ...[2, 2, 2, 2],
    ...[2, 0, 0, 0],
  ]);
});

test('what a socket kept is free again when it ends', () => {
  const memory = new KeptMemory(100);
  for (const one of fill(memory, 'first', 2)) one.clear();
  expect(kept(fill(memory, 'first', 3))).toBe(2);
});

test('a stream has one answer, and a socket those of its last streams', () => {
  const answers = new KeptAnswers(new KeptMemory(), 'first');
  for (let turn = 0; turn < 100; turn++) answers.keep(`same-${turn}`, { streamId: 'a', items: ITEMS });
  expect([answers.find('same-98'), answers.find('same-99')]).toEqual([undefined, ITEMS]);
  for (let stream = 0; stream < 100; stream++) answers.keep(`of-${stream}`, { streamId: `s${stream}`, items: ITEMS });
  expect([answers.find(`of-${99 - MAX_KEPT}`), answers.find(`of-${100 - MAX_KEPT}`)]).toEqual([undefined, ITEMS]);
});

test('the oldest makes room, and what has no room is not kept', () => {
  const answers = new KeptAnswers(new KeptMemory(), 'first');
  answers.keep('old', { streamId: 'a', items: 'x'.repeat(MAX_KEPT_CHARS) });
  answers.keep('new', { streamId: 'b', items: ITEMS });
  expect([answers.find('old'), answers.find('new')]).toEqual([undefined, ITEMS]);
  answers.keep('long', { streamId: 'c', items: 'x'.repeat(MAX_KEPT_CHARS + 1) });
  expect(answers.find('long')).toBeUndefined();
});
