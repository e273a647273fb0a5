// The difference of two texts: whatever they are, it leads from one to the other, and leaves out what is equal.

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ChangedLine, type DiffLine, diffLines } from '../../../src/admin/actions/line-diff.ts';

const changed = (diff: readonly DiffLine[]) => diff.filter((line): line is ChangedLine => line.kind !== 'skipped');
const signs = { same: ' ', added: '+', removed: '-' };
const written = (diff: readonly DiffLine[]) =>
  diff.map((line) => (line.kind === 'skipped' ? `…${line.count}` : signs[line.kind] + line.text));

test('shows a change with the lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\n';
  expect(written(diffLines(before, before.replace('d', 'D'), 1))).toEqual(['…2', ' c', '-d', '+D', ' e', '…2']);
  expect(written(diffLines(before, `${before}h\n`, 0))).toEqual(['…7', '+h']);
  expect(written(diffLines('', 'a\n'))).toEqual(['+a']);
  expect(written(diffLines('a', ''))).toEqual(['-a']);
  expect(diffLines('a\r\nb', 'a\nb\n')).toEqual([{ kind: 'skipped', count: 2 }]);
});

test('numbers the lines of both sides', () => {
  expect(diffLines('a\nb', 'x\na\nb', 1)).toEqual([
    { kind: 'added', text: 'x', before: null, after: 1 },
    { kind: 'same', text: 'a', before: 1, after: 2 },
    { kind: 'skipped', count: 1 },
  ]);
});

test('is right for any two texts, and no longer than it must be', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      fc.pre(a.join('\n') !== b.join('\n'));
      const diff = changed(diffLines(`${a.join('\n')}\n`, `${b.join('\n')}\n`, 100));
      const side = (left: 'before' | 'after') => diff.filter((line) => line[left] !== null);
      const lines = (list: readonly string[]) => (list.length === 0 ? [''] : list);
      expect(side('before').map((line) => line.text)).toEqual([...lines(a)]);
      expect(side('after').map((line) => line.text)).toEqual([...lines(b)]);
      expect(side('before').map((line) => line.before)).toEqual(lines(a).map((_, index) => index + 1));
      expect(side('after').map((line) => line.after)).toEqual(lines(b).map((_, index) => index + 1));
      expect(diff.filter(({ kind }) => kind === 'same').length).toBe(longestCommon(lines(a), lines(b)));
    }),
    { numRuns: 500 },
  );
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = a.map(() => b.map(() => 0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i] ?? [];
      row[j] = a[i] === b[j] ? 1 + (table[i + 1]?.[j + 1] ?? 0) : Math.max(table[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table[0]?.[0] ?? 0;
}

test('two texts with nothing in common are told in blocks', () => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join('\n');
  expect(diffLines(long('a'), long('b'))).toHaveLength(40_000);
});
