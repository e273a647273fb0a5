// The table of events in the docs has every type, with an example of exactly what it says.

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '../../src/accounts/events/public-event.ts';
import { EVENT_TYPES } from '../../src/store/event-rows.ts';

const ROW = /^\| ((?:`[a-z_]+\.[a-z_]+`(?:, )?)+) \|.*\| `(\{.*\})` \|$/gm;

test.each(['docs/accounts.md', 'docs/zh-TW/accounts.md'])('%s', (page) => {
  const text = readFileSync(join(import.meta.dir, '../..', page), 'utf8');
  const rows = [...text.matchAll(ROW)].map(([, names = '', example = '']) => ({
    types: [...names.matchAll(/`(.*?)`/g)].map(([, type = '']) => type),
    example: JSON.parse(example) as Record<string, unknown>,
  }));
  expect(rows.flatMap(({ types }) => types)).toEqual([...EVENT_TYPES]);
  for (const { types, example } of rows) {
    // Two that differ in one member have the example of the longer one.
    const shape = event.options.find(({ shape: { type } }) => type.value === types.at(-1))?.shape.data;
    expect(Object.keys(example)).toEqual(Object.keys(shape?.shape ?? {}));
  }
});
