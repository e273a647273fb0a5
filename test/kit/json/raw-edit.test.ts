// A member may go from a document as if it had never been there: the others keep their bytes, and are found where they stand.

import { expect, test } from 'bun:test';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { editFields, editMember, remove } from '../../../src/kit/json/raw-edit.ts';

const TEXT = ' { "a" : 1.0 ,\n"b":[2 , {"c":3}] , "d" : "e,}" } ';

test.each([
  [['a'], ' { "b":[2 , {"c":3}] , "d" : "e,}" } '],
  [['b'], ' { "a" : 1.0 ,\n"d" : "e,}" } '],
  [['d'], ' { "a" : 1.0 ,\n"b":[2 , {"c":3}] } '],
  [['a', 'd'], ' { "b":[2 , {"c":3}] } '],
  [['d', 'b'], ' { "a" : 1.0 } '],
  [['b', 'd', 'a'], ' {  } '],
  [['none'], TEXT],
])('without %j', (names, expected) => {
  const edited = names.reduce((document, name) => editMember(document, name, remove), readJsonObject(TEXT));
  const { text, spans, value } = readJsonObject(expected);
  expect(edited.text).toBe(text);
  expect(edited.spans.list()).toEqual(spans.list());
  expect(edited.value).toEqual(value);
});

test('an edit before it or after it finds its place', () => {
  const inside = editFields({ c: () => '30' });
  const without = editMember(readJsonObject('{"x":{"c":1},"y":2,"z":{"c":3}}'), 'y', remove);
  const edited = editMember(editMember(without, 'x', inside), 'z', inside);
  expect(edited.text).toBe('{"x":{"c":30},"z":{"c":30}}');
  expect(edited.spans.list()).toEqual(readJsonObject(edited.text).spans.list());
});
