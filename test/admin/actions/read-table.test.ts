// Tables as spreadsheets and upstreams write them.

import { expect, test } from 'bun:test';
import { readCsv } from '../../../src/admin/actions/read-table.ts';

const rows = (text: string) => readCsv(text)?.rows.map(({ cells }) => cells);

test.each([
  ['commas', 'Model,Input Tokens\na,1\n'],
  ['semicolons', 'model;input-tokens\na;1'],
  ['tabs and carriage returns', 'model\tinput_tokens\r\na\t1\r\n'],
  ['a byte-order mark, empty lines and spaces', '\uFEFFmodel, input tokens\n\n a , 1 \n\n'],
])('%s', (_, text) => {
  expect(rows(text)).toEqual([{ model: 'a', input_tokens: '1' }]);
});

test('quotes hold commas, quotes and line ends; lines are counted as an editor does', () => {
  const table = readCsv('model,note\n"a, ""b""","one\ntwo"\nc,d\n');
  expect(table?.rows).toEqual([
    { line: 2, cells: { model: 'a, "b"', note: 'one\ntwo' } },
    { line: 4, cells: { model: 'c', note: 'd' } },
  ]);
});

test('a quote that is never closed, and a table without an end, are refused', () => {
  expect(readCsv('model\n"a')).toBeUndefined();
  expect(readCsv('a\n'.repeat(20_002))).toBeUndefined();
  expect(readCsv('')).toEqual({ columns: [], rows: [] });
});
