// What is generated from the source is committed as `npm run docs` writes it.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateFiles, withPart } from '../../scripts/generate.ts';
import { FAULT_CODES } from '../../src/faults/table.ts';

const committed = (path: string) => readFileSync(join(import.meta.dir, '..', '..', path), 'utf8');

test.each([
  'docs/errors.md',
  'docs/zh-TW/errors.md',
  'docs/translation.md',
  'docs/zh-TW/translation.md',
  'docs/reliability.md',
  'docs/zh-TW/reliability.md',
  'src/store/sqlite/schema.sql',
])('%s is what `npm run docs` writes', (path) => {
  const generated = generateFiles().find((file) => file.path === path);
  expect(committed(path)).toBe(generated?.text ?? 'not generated');
});

test('the errors page has a row and an anchor for every code, each once', () => {
  const page = committed('docs/errors.md');
  for (const code of FAULT_CODES) expect(page.split(`<a id="${code}"></a>`)).toHaveLength(2);
});

describe('a generated part of a page', () => {
  const page = 'Before.\n<!-- list:begin -->\nold\n<!-- list:end -->\nAfter.\n';

  test('replaces what stands between its marks and nothing else', () => {
    const written = withPart(page, 'list', 'new $& text');
    expect(written).toBe('Before.\n<!-- list:begin -->\nnew $& text\n<!-- list:end -->\nAfter.\n');
    expect(withPart(written, 'list', 'old')).toBe(page);
  });

  test.each(['no marks', '<!-- list:begin -->', '<!-- list:end --> <!-- list:begin -->', page + page])(
    'cannot be written into %j',
    (text) => expect(() => withPart(text, 'list', 'new')).toThrow('list:begin'),
  );
});
