// Whatever an operator may find in the log is explained in docs/operating.md: every event and every alarm.

import { expect, test } from 'bun:test';
import { ALARM_NAMES, ALARM_SEVERITIES } from '../../src/kit/alarms.ts';
import { readProject } from '../tidy/read.ts';

const files = readProject();
const page = files.get('docs/operating.md') ?? '';

/** The names in the first cells of the table whose first heading this is. */
function namesUnder(heading: string): string[] {
  const [, table = ''] = page.split(`| ${heading} |`);
  const rows = table.split('\n').slice(2);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  const cells = rows.slice(0, end).map((row) => row.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).toSorted();
}

/** The names that the program gives to lines of its log, also where it chooses one of two, or a job names its failure. */
function loggedEvents(): string[] {
  const sources = [...files].filter(([path]) => path.startsWith('src/')).map(([, text]) => text);
  const calls = sources.flatMap((text) => [
    ...text.matchAll(/\blog\(\s*'(?:info|warn|error)',([^,)]*)/g),
    ...text.matchAll(/\brepeat\((?:[\w.]+, ){3}('\w+')/g),
  ]);
  const names = calls.flatMap(([, argument = '']) => [...argument.matchAll(/'(\w+)'/g)].map(([, name = '']) => name));
  return [...new Set(names)].toSorted();
}

test('every alarm is explained', () => {
  expect(namesUnder('alarm')).toEqual([...ALARM_NAMES].toSorted());
});

test.each(['docs/operating.md', 'docs/zh-TW/operating.md'])('%s has the severity of each alarm', (path) => {
  const text = files.get(path) ?? '';
  for (const [name, severity] of Object.entries(ALARM_SEVERITIES)) {
    expect(text.split('\n').filter((line) => line.startsWith(`| \`${name}\` | ${severity} | `))).toHaveLength(1);
  }
});

test('every event of the log is explained', () => {
  expect(loggedEvents()).toContain('request');
  expect(namesUnder('event')).toEqual(loggedEvents());
});
