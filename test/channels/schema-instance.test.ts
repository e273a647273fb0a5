// The demo's instance of a JSON schema satisfies it, by a validator that is not ours; and no schema keeps it busy.

import { describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { schemaInstance } from '../../src/channels/demo/schema-instance.ts';
import type { Json, JsonObject } from '../../src/kit/json/json.ts';

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);

function expectValid(schema: JsonObject): void {
  const instance = schemaInstance(schema);
  const isValid = ajv.compile(schema);
  expect([isValid(instance), instance, isValid.errors]).toEqual([true, instance, null]);
}

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...rest,
});

const node = object({ value: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } });

describe('an instance of', () => {
  const schemas: [what: string, schema: JsonObject][] = [
    [
      'every type',
      object({ a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean' }, d: { type: 'null' } }),
    ],
    ['an optional member, which is left out', { type: 'object', properties: { a: { type: 'string', minLength: 9 } } }],
    ['an enum', object({ a: { enum: ['one', 'two'] }, b: { const: 7 } })],
    [
      'a nullable type',
      object({ a: { type: ['null', 'string'] }, b: { anyOf: [{ type: 'null' }, { type: 'number' }] } }),
    ],
    ['bounds of texts', object({ a: { type: 'string', minLength: 30 }, b: { type: 'string', maxLength: 2 } })],
    [
      'bounds of lists',
      object({ a: { type: 'array', items: { type: 'integer' }, minItems: 3 }, b: { type: 'array' } }),
    ],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2 }],
    [
      'a reference',
      { $ref: '#/$defs/one', $defs: { one: object({ a: { $ref: '#/$defs/two' } }), two: { type: 'string' } } },
    ],
    ['a schema that holds itself', { ...node, $defs: { node } }],
    ['a list of itself', object({ inner: { type: 'array', items: { $ref: '#' } } })],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'integer' } }, required: ['b'] },
        ],
      },
    ],
    [
      'allOf with references',
      {
        $defs: { base: object({ a: { type: 'string' } }, { additionalProperties: true }) },
        allOf: [{ $ref: '#/$defs/base' }],
      },
    ],
    [
      'allOf with one base by several ways, and again inside',
      {
        $ref: '#/$defs/top',
        $defs: {
          base: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
          left: { allOf: [{ $ref: '#/$defs/base' }] },
          top: {
            allOf: [{ $ref: '#/$defs/left' }, { $ref: '#/$defs/base' }],
            properties: { inner: { allOf: [{ $ref: '#/$defs/left' }] } },
            required: ['inner'],
          },
        },
      },
    ],
    [
      'oneOf beside a type',
      {
        type: 'object',
        oneOf: [{ properties: { kind: { const: 'x' } }, required: ['kind'] }, { required: ['other'] }],
      },
    ],
    [
      'a required name without a schema',
      { type: 'object', required: ['a'], additionalProperties: { type: 'integer' } },
    ],
    ['no type', { properties: { a: { minimum: 4 } }, required: ['a'] }],
  ];
  test.each(schemas)('%s', (_, schema) => expectValid(schema));

  test.each([
    { minimum: 3 },
    { exclusiveMinimum: 3 },
    { maximum: -2 },
    { exclusiveMaximum: -2 },
    { minimum: 0.2, maximum: 0.8 },
    { exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { multipleOf: 5, minimum: 7 },
    { multipleOf: 5, exclusiveMinimum: 10 },
  ])('a number with %j', (bounds) => expectValid({ type: 'number', ...bounds }));

  test.each(['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'])(
    'a text of the format %s',
    (format) => expectValid({ type: 'string', format }),
  );

  test.each([
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^[A-Z]{2,3}[0-9]+$',
    '^(yes|no)$',
    '^(?:https?)://[^/]+/\\w*$',
    '^\\+?[1-9]\\d{1,14}$',
    '^#[0-9a-fA-F]{6}$',
    '^[^@ ]+@[^@ ]+\\.com$',
  ])('a text of the pattern %s', (pattern) => expectValid({ type: 'string', pattern }));

  test('what zod writes', () => {
    const shape = z.object({
      name: z.string().min(2),
      age: z.number().int().positive(),
      tags: z.array(z.enum(['a', 'b'])).nonempty(),
      at: z.iso.datetime(),
      kind: z.discriminatedUnion('type', [
        z.object({ type: z.literal('x'), x: z.number() }),
        z.object({ type: z.literal('y') }),
      ]),
      note: z.string().nullable(),
    });
    expect(shape.safeParse(schemaInstance(z.toJSONSchema(shape) as Json))).toMatchObject({ success: true });
  });
});

describe('a schema without an end', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `n${n}`,
      object({ a: { $ref: `#/$defs/n${n + 1}` }, b: { $ref: `#/$defs/n${n + 1}` } }),
    ]),
  );
  const names = (count: number) => Array.from({ length: count }, (_, n) => `name${n}`);
  const each = (count: number, schema: JsonObject) => Object.fromEntries(names(count).map((name) => [name, schema]));
  const hostile: [what: string, schema: JsonObject][] = [
    ['that needs itself', { $ref: '#/$defs/a', $defs: { a: object({ a: { $ref: '#/$defs/a' } }) } }],
    ['that doubles at each of forty steps', { $ref: '#/$defs/n0', $defs: { ...doubling, n40: { type: 'string' } } }],
    ['of a billion items', { type: 'array', minItems: 1e9, items: true }],
    ['that refers to itself in allOf', { allOf: [{ $ref: '#' }] }],
    ['with many names that refers to itself in allOf', { required: names(1_000), allOf: [{ $ref: '#' }] }],
    ['with many names that refers to itself in anyOf', { required: names(1_000), anyOf: [{ $ref: '#' }] }],
    [
      'that joins many names many times',
      { ...object(each(1_000, { allOf: [{ $ref: '#/$defs/a' }] })), $defs: { a: { required: names(1_000) } } },
    ],
    [
      'that has many names many times',
      { ...object(each(1_000, { $ref: '#/$defs/a' })), $defs: { a: { required: names(1_000) } } },
    ],
    ['that nothing satisfies', object({ a: false })],
  ];
  test.each(hostile)('%s ends as an empty object', (_, schema) => {
    expect(schemaInstance(schema)).toEqual({});
  });

  test.each([
    ['a billion characters', { type: 'string', minLength: 1e9 }],
    ['a pattern of a billion characters', { type: 'string', pattern: '^(a{1000}){1000000}$' }],
    ['a pattern that is none', { type: 'string', pattern: '((((' }],
    ['a pattern of many groups inside each other', { type: 'string', pattern: '('.repeat(200_000) }],
  ])('%s ends as a short text', (_, schema) => {
    expect(String(schemaInstance(schema)).length).toBeLessThan(10_000);
  });
});
