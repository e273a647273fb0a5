import { expect, test } from 'bun:test';
import { PairMap } from '../../src/channels/pair-map.ts';

function filled(): PairMap<number> {
  const map = new PairMap<number>();
  map.set('a', 'x', 1);
  map.set('a', 'y', 2);
  map.set('b', 'x', 3);
  return map;
}

test('each pair has a value of its own, and the last that was set counts', () => {
  const map = filled();
  map.set('a', 'y', 4);
  expect([map.get('a', 'x'), map.get('a', 'y'), map.get('b', 'x')]).toEqual([1, 4, 3]);
  expect([map.get('b', 'y'), map.get('x', 'a'), map.get('c', 'x')]).toEqual([undefined, undefined, undefined]);
});

test('what is meant is deleted, and nothing else', () => {
  const map = filled();
  map.deleteWhere((value) => value !== 2);
  expect([...map.values()]).toEqual([2]);
  expect([map.get('a', 'x'), map.get('a', 'y'), map.get('b', 'x')]).toEqual([undefined, 2, undefined]);
  map.set('b', 'x', 5);
  expect([...map.values()]).toEqual([2, 5]);
});
