// Schemas as Gemini takes them: only what it knows is left, and what can be said otherwise is.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { writeSchema } from '../../../src/dialects/gemini/schema.ts';
import { isObject, type Json, type JsonObject } from '../../../src/kit/json/json.ts';

const KEPT = new Set([
  ...['type', 'format', 'title', 'description', 'enum', 'items', 'prefixItems', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'anyOf', 'properties', 'additionalProperties', 'required', 'propertyOrdering'],
]);

/** Every keyword of a schema and of those inside it; names of properties are none. */
function keywords(schema: Json | undefined): string[] {
  if (!isObject(schema)) return [];
  const inner = [schema.items, schema.additionalProperties, ...listOf(schema.anyOf), ...listOf(schema.prefixItems)];
  const named = isObject(schema.properties) ? Object.values(schema.properties) : [];
  const own = Object.keys(schema).filter((name) => schema[name] !== undefined);
  return [...own, ...[...inner, ...named].flatMap(keywords)];
}

const listOf = (value: Json | undefined) => (Array.isArray(value) ? value : []);

describe('said otherwise', () => {
  const cases: [what: string, schema: JsonObject, written: JsonObject][] = [
    ['const', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a const that cannot be listed', { const: true }, { type: 'boolean' }],
    ['null among values', { enum: ['a', null] }, { type: ['string', 'null'], enum: ['a'] }],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['whole numbers above', { type: 'integer', exclusiveMinimum: 0 }, { type: 'integer', minimum: 1 }],
    ['numbers below', { type: 'number', exclusiveMaximum: 1, maximum: 5 }, { type: 'number', maximum: 1 }],
    ['draft 4', { type: 'integer', maximum: 9, exclusiveMaximum: true }, { type: 'integer', maximum: 8 }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['a tuple', { items: [{ type: 'string' }] }, { type: 'array', prefixItems: [{ type: 'string' }] }],
    ['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
    ['upper case', { type: 'STRING' }, { type: 'string' }],
    [
      'names by pattern',
      { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: false },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] },
          { properties: { b: { type: 'number' } }, required: ['a'] },
        ],
      },
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['b', 'a'],
      },
    ],
  ];
  test.each(cases)('%s', (_, schema, written) => {
    expect(writeSchema(schema)).toEqual(written);
  });
});

describe('left out', () => {
  test.each([
    [{ type: 'string', format: 'uri', pattern: '^a', minLength: 1, default: 'a' }, { type: 'string' }],
    [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { type: 'array', items: { type: 'string' } },
    ],
    [{ $schema: 'x', $id: 'y', type: 'number', multipleOf: 2 }, { type: 'number' }],
    [{ enum: [1, { a: 1 }] }, { type: ['integer', 'object'] }],
    [
      { type: 'object', properties: { a: {} }, required: ['a', 'gone'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
    [
      { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { type: 'object', properties: { a: {} } },
    ],
  ] as [JsonObject, JsonObject][])('%j becomes %j', (schema, written) => {
    expect(writeSchema(schema)).toEqual(written);
  });
});

test('a property may have any name', () => {
  const schema = { type: 'object', properties: { pattern: { type: 'string' }, $ref: { const: 1 } } };
  expect(writeSchema(schema)).toEqual({
    type: 'object',
    properties: { pattern: { type: 'string' }, $ref: { type: 'integer', enum: [1] } },
  });
});

describe('references', () => {
  test('are put in place, with what stands beside them', () => {
    const schema = {
      type: 'object',
      properties: { home: { $ref: '#/$defs/a~1b', description: 'Where' }, work: { $ref: '#/definitions/c' } },
      $defs: { 'a/b': { type: 'string', description: 'A place', pattern: 'x' } },
      definitions: { c: { $ref: '#/$defs/a~1b' } },
    };
    expect(writeSchema(schema)).toEqual({
      type: 'object',
      properties: {
        home: { type: 'string', description: 'Where' },
        work: { type: 'string', description: 'A place' },
      },
    });
  });

  test('to oneself end after a few turns', () => {
    const node = { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } };
    const written = JSON.stringify(writeSchema({ $ref: '#/$defs/node', $defs: { node } }));
    expect(written.split('"name"')).toHaveLength(3);
    expect(written).not.toContain('$');
  });

  test('that lead nowhere or elsewhere leave what stands beside them', () => {
    expect(writeSchema({ $ref: 'https://example.com/x', description: 'd' })).toEqual({ description: 'd' });
    expect(writeSchema({ $ref: '#/$defs/none', type: 'string' })).toEqual({ type: 'string' });
  });

  test('that hold much and are used often do not make a schema many times as long', () => {
    const words = 'd'.repeat(1_000);
    const often = (reference: string) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { $ref: `#/$defs/${reference}` }]));
    const $defs = {
      a: { type: 'object', description: words, properties: often('b') },
      b: { type: 'string', description: words },
    };
    const schema = { type: 'object', properties: often('a'), $defs };
    const written = writeSchema(schema);
    expect(JSON.stringify(written).length).toBeLessThan(6 * JSON.stringify(schema).length);
    // What is no longer opened says at least what it is.
    expect(written.properties).toMatchObject({ p0: { type: 'object', description: words }, p59: { type: 'object' } });
  });

  test('are what is bounded, not schemas without any', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 8_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    expect(writeSchema({ type: 'object', properties })).toEqual({ type: 'object', properties });
  });

  test('cannot grow without end', () => {
    const $defs: JsonObject = { d0: { type: 'string' } };
    for (let level = 1; level <= 60; level++) {
      const below = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { type: 'object', properties: { a: below, b: below } };
    }
    expect(JSON.stringify(writeSchema({ $ref: '#/$defs/d60', $defs })).length).toBeLessThan(1_000_000);
  });
});

test('whatever comes, only known keywords go', () => {
  const names = ['a', '$ref', 'pattern'];
  const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom('string', 'integer', 'object', 'array', ['string', 'null'], 'any', 7),
          const: fc.constantFrom('a', 1, null, true),
          enum: fc.constantFrom(['a'], [1, null], [true], 'x'),
          $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a', 'x'),
          $defs: fc.dictionary(fc.constantFrom(...names), tie('schema')),
          properties: fc.dictionary(fc.constantFrom(...names), tie('schema')),
          required: fc.constantFrom(['a'], ['gone'], 'a'),
          items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
          allOf: fc.array(tie('schema'), { maxLength: 2 }),
          oneOf: fc.array(tie('schema'), { maxLength: 2 }),
          not: tie('schema'),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          patternProperties: fc.dictionary(fc.constant('^x'), tie('schema')),
          exclusiveMinimum: fc.constantFrom(1, true),
          default: fc.constant({ deep: [1] }),
          'x-vendor': fc.boolean(),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<Json>,
    ),
  }));
  fc.assert(
    fc.property(schema, (given) => {
      expect(keywords(writeSchema(given)).filter((name) => !KEPT.has(name))).toEqual([]);
    }),
    { seed: 7 },
  );
});
