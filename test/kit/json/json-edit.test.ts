import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { editMembers, type Json, readJsonObject } from '../../../src/kit/json/json.ts';

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

/** Names that collide often, and some that are awkward to scan or to assign. */
const name = fc.oneof(
  fc.constantFrom('model', 'stream', 'usage', '', '"', '\\', 'a"b', '{', '},', ':', '\u2028', '名', '🎉', 'toString'),
  fc.string({ maxLength: 8 }),
);
const value = fc.jsonValue({ maxDepth: 3 }).map((json) => json as Json);
const members = fc.uniqueArray(fc.tuple(name, value), { maxLength: 8, selector: ([key]) => key });
const edits = fc.uniqueArray(fc.tuple(name, fc.option(value, { nil: undefined })), {
  maxLength: 5,
  selector: ([key]) => key,
});

/** JSON text of the members, with given space at every place that allows some. */
function write(entries: readonly [string, Json][], spaces: readonly string[]): string {
  let used = 0;
  const gap = () => spaces[used++ % spaces.length] ?? '';
  const texts = entries.map(([key, one]) => {
    const text = JSON.stringify(one, undefined, gap());
    return `${gap()}${JSON.stringify(key)}${gap()}:${gap()}${text}${gap()}`;
  });
  return `${gap()}{${texts.join(',') || gap()}}${gap()}`;
}

/** Own members, however they are called: a plain assignment would lose `__proto__`. */
function toObject(entries: Iterable<readonly [string, Json | undefined]>): Record<string, Json | undefined> {
  const object: Record<string, Json | undefined> = {};
  for (const [key, one] of entries) {
    Object.defineProperty(object, key, { value: one, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** As text with sorted names, so that nothing about prototypes, order or -0 gets in the way. */
function canonical(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(canonical).join(',')}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const sorted = Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

const spaces = fc.array(space, { minLength: 1, maxLength: 7 });

describe('any object, any edits, any space', () => {
  test('the edited text means what a plain edit of the object means', () => {
    fc.assert(
      fc.property(members, edits, spaces, (before, changes, gaps) => {
        const document = readJsonObject(write(before, gaps));
        const expected = new Map<string, Json>(before);
        for (const [key, one] of changes) {
          if (one === undefined) expected.delete(key);
          else expected.set(key, one);
        }
        const edited = editMembers(document, toObject(changes));
        expect(canonical(JSON.parse(edited))).toBe(canonical(toObject(expected)));
      }),
      { numRuns: 400 },
    );
  });

  test('members that are not edited keep their exact bytes and their order', () => {
    fc.assert(
      fc.property(members, edits, spaces, (before, changes, gaps) => {
        const document = readJsonObject(write(before, gaps));
        const names = new Set(changes.map(([key]) => key));
        const edited = readJsonObject(editMembers(document, toObject(changes)));
        const bytesOf = ({ text, spans }: typeof document) =>
          spans
            .list()
            .filter(({ name }) => !names.has(name))
            .map((span) => text.slice(span.start, span.valueEnd));
        expect(bytesOf(edited)).toEqual(bytesOf(document));
      }),
      { numRuns: 400 },
    );
  });

  test('where values are only replaced, nothing else changes, not even space', () => {
    fc.assert(
      fc.property(members, value, spaces, fc.nat(), (before, one, gaps, pick) => {
        fc.pre(before.length > 0);
        const document = readJsonObject(write(before, gaps));
        const [key = ''] = before[pick % before.length] ?? [];
        const { valueStart = 0, valueEnd = 0 } = document.spans.get(key) ?? {};
        const expected = document.text.slice(0, valueStart) + JSON.stringify(one) + document.text.slice(valueEnd);
        expect(editMembers(document, toObject([[key, one]]))).toBe(expected);
      }),
    );
  });
});

describe('by example', () => {
  const document = readJsonObject('{ "model": "auto:free",\n  "n": 1.0, "x": 12345678901234567890 }');

  test('no edit leaves the text as it is', () => {
    expect(editMembers(document, {})).toBe(document.text);
  });

  test('numbers that JavaScript cannot hold pass through', () => {
    expect(editMembers(document, { model: 'gpt-5-mini' })).toBe(
      '{ "model": "gpt-5-mini",\n  "n": 1.0, "x": 12345678901234567890 }',
    );
    expect(editMembers(document, { model: undefined })).toBe('{"n": 1.0,"x": 12345678901234567890}');
  });

  test('new members are added, also to an empty object', () => {
    expect(editMembers(readJsonObject(' { } '), { a: [1] })).toBe('{"a":[1]}');
    expect(JSON.parse(editMembers(document, { stream: true }))).toMatchObject({ model: 'auto:free', stream: true });
  });

  test('removing what is not there changes no member', () => {
    expect(JSON.parse(editMembers(document, { absent: undefined }))).toEqual(JSON.parse(document.text));
  });

  test('a member called __proto__ is kept, replaced and removed like any other', () => {
    const odd = readJsonObject('{"__proto__":1,"a":2}');
    expect(editMembers(odd, { a: 3 })).toBe('{"__proto__":1,"a":3}');
    expect(editMembers(odd, toObject([['__proto__', 4]]))).toBe('{"__proto__":4,"a":2}');
    expect(editMembers(odd, toObject([['__proto__', undefined]]))).toBe('{"a":2}');
  });
});
