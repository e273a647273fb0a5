// What the pages for engineers name is there: files of the project, and names that its code has.

import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const code = ['src', 'test', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|mjs|sql)$/.test(path))
    .map((path) => read(join(folder, path))),
);
const words = new Set(code.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));

/** A path from the root of the project. */
const PATH = /^(src|test|docs|ops|scripts|bench)\/[\w./-]*$/;
/** A word with a capital in it, maybe called: no word of the language, of a path or of a shell. */
const NAME = /^(?=\w*[A-Z])([A-Za-z_]\w*)(\(.*\))?$/;

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s', (page) => {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = '']) => inner);
  const paths = quoted.filter((inner) => PATH.test(inner));
  const names = quoted.flatMap((inner) => NAME.exec(inner)?.[1] ?? []);
  expect([paths.length > 0, names.length > 0]).toEqual([true, true]);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});
