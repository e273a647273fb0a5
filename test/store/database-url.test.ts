// The URL of a database, of one server or of several.

import { expect, test } from 'bun:test';
import { databasePlace, maskPassword, readDatabaseUrls } from '../../src/store/database-url.ts';

const ONE = 'postgres://user:p%40ss@db.example:5432/gateway?sslmode=require';
const TWO = 'postgresql://user:pass@a.example:5432,[::1]:5433/gateway?sslmode=require&target_session_attrs=read-write';

test('several servers are separated by commas, and have everything else in common', () => {
  expect(readDatabaseUrls(ONE)).toEqual([ONE]);
  expect(readDatabaseUrls(TWO)).toEqual([
    'postgresql://user:pass@a.example:5432/gateway?sslmode=require',
    'postgresql://user:pass@[::1]:5433/gateway?sslmode=require',
  ]);
  expect(readDatabaseUrls('postgres://a,b/gateway')).toEqual(['postgres://a/gateway', 'postgres://b/gateway']);
});

test('only the primary can be asked for', () => {
  const asking = (target: string) => readDatabaseUrls(`postgres://a,b/gateway?target_session_attrs=${target}`)?.length;
  expect(['read-write', 'primary', 'any', 'standby', 'prefer-standby', ''].map(asking)).toEqual([
    ...[2, 2],
    ...Array(4).fill(undefined),
  ]);
});

test.each(['mysql://a/b', 'postgres:a', '', 'postgres://a,,b/c', 'postgres://a,/c', 'postgres://a:port,b/c'])(
  '%p is none',
  (text) => {
    expect(readDatabaseUrls(text)).toBeUndefined();
  },
);

test('messages show neither the user nor the password, and commands no password', () => {
  expect(databasePlace(ONE)).toBe('db.example:5432/gateway');
  expect(databasePlace(TWO)).toBe('a.example:5432,[::1]:5433/gateway');
  expect(maskPassword(ONE)).toBe('postgres://user:***@db.example:5432/gateway?sslmode=require');
  expect(maskPassword('postgres://user@a:1,b:2/gateway')).toBe('postgres://user@a:1,b:2/gateway');
});
