// The table of reads is joined from several files: a name that two of them have would silently stand for only one.

import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { READ_NAMES } from '../../src/store/read-table.ts';

test('no two files have a read of the same name', async () => {
  const folder = new URL('../../src/store/', import.meta.url).pathname;
  const files = await Promise.all([...new Glob('*.ts').scanSync(folder)].map((file) => import(folder + file)));
  const parts = files.flatMap((file) => Object.entries<object>(file).filter(([name]) => name.endsWith('_READS')));
  const names = parts.flatMap(([, reads]) => Object.keys(reads));
  expect([...names, 'audit'].toSorted()).toEqual(READ_NAMES.toSorted());
});
