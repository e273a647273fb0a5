// The searcher of the privacy test must be able to find: what it cannot find, the test cannot forbid.

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMark, filesBelow, findMark, findMarkIn, SPELLING_NAMES, spell } from './find-mark.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-mark-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const noise = () => randomBytes(500);

describe.each(SPELLING_NAMES)('%s', (spelling) => {
  test('is found among noise, for each word of a mark', () => {
    for (const word of createMark()) {
      for (const form of spell(word, spelling)) {
        const bytes = Buffer.concat([noise(), form, noise()]);
        expect(findMark([word], bytes)).toContain(`${word} as ${spelling}`);
      }
    }
  });
});

test('base64 is found wherever the text stands in what was encoded', () => {
  for (const word of createMark()) {
    for (let before = 0; before < 6; before++) {
      const encoded = Buffer.from(`${'x'.repeat(before)}${word}${'y'.repeat(before)}`).toString('base64');
      expect(findMark([word], Buffer.from(encoded))).toEqual([`${word} as base64`]);
    }
  }
});

test('what a JSON encoder escapes is found', () => {
  const mark = createMark();
  const escaped = JSON.stringify(mark[1]).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
  expect(findMark(mark, Buffer.from(escaped))).toEqual([`${mark[1]} as escaped`]);
});

test('nothing is found where nothing is', () => {
  const mark = createMark();
  expect(findMark(mark, randomBytes(2_000_000))).toEqual([]);
  expect(findMark(mark, Buffer.from(createMark().join(' ')))).toEqual([]);
});

test('a file, a file’s name, and a file deep below are found', () => {
  const mark = createMark();
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  writeFileSync(join(folder, 'a', 'b', 'deep'), Buffer.concat([noise(), Buffer.from(mark[0] ?? ''), noise()]));
  writeFileSync(join(folder, `core-${mark[0]}`), '');
  expect(
    findMarkIn(mark, folder)
      .map((found) => found.split(':')[0])
      .toSorted(),
  ).toEqual(['a/b/deep', `core-${mark[0]}`]);
});

test('a row in a live SQLite database is found in its files', () => {
  const mark = createMark();
  const place = join(folder, 'live');
  mkdirSync(place);
  const db = new Database(join(place, 'control.sqlite'));
  db.run('PRAGMA journal_mode = WAL');
  db.run('CREATE TABLE planted (text TEXT)');
  db.query('INSERT INTO planted VALUES (?)').run(`${'long '.repeat(5_000)}${mark[1]}`);
  expect(filesBelow(place).toSorted()).toEqual(['control.sqlite', 'control.sqlite-shm', 'control.sqlite-wal']);
  expect(findMarkIn(mark, place)).not.toEqual([]);
  db.close();
});
