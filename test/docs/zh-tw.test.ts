// The pages in Traditional Chinese say the same as the English ones: the same commands to the byte, the same sections, the
// same tables, in the words that are used in Taiwan.

import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codeBlocks } from '../support/code-blocks.ts';
import { renderedPage } from '../support/rendered-page.ts';

const DOCS = join(import.meta.dir, '..', '..', 'docs');
const TRANSLATED = [
  'accounts.md',
  'billing.md',
  'clients.md',
  'configuration.md',
  'errors.md',
  'getting-started.md',
  'limits.md',
  'operating.md',
  'relay.md',
  'reliability.md',
  'scaling.md',
  'translation.md',
  'versioning.md',
];

const read = (path: string) => readFileSync(join(DOCS, path), 'utf8');
const withoutBlocks = (page: string) => page.replace(/^```[\s\S]*?^```$/gm, '');

const blocksOf = (page: string) => codeBlocks(page).map(({ language, code }) => ({ language, code }));
const levelsOf = (page: string) => [...withoutBlocks(page).matchAll(/^(#+) /gm)].map(([, marks]) => marks);
const rowsOf = (page: string) =>
  [...withoutBlocks(page).matchAll(/^\|.*\|$/gm)].map(([row]) =>
    [...row.matchAll(/`[^`]+`/g)].map(([code]) => code).sort(),
  );

/** Which pages it leads to, and to the how-manyth heading of each: headings are named otherwise in each language. */
function linksOf(folder: string, name: string): string[] {
  const links = withoutBlocks(read(join(folder, name))).matchAll(/\]\(([\w./-]*\.md)?(?:#([^)\s]+))?\)/g);
  return [...links].map(([, path = name, anchor]) => `${basename(path)} ${placeOf(join(folder, path), anchor)}`).sort();
}

/** An anchor that is no heading is the same in both languages. */
function placeOf(path: string, anchor: string | undefined): string | number {
  if (anchor === undefined) return '';
  const headings = [...renderedPage(join('docs', path)).matchAll(/<h\d id="([^"]*)"/g)].map(([, id]) => id);
  const place = headings.indexOf(decodeURI(anchor));
  return place < 0 ? anchor : place;
}

/** What is said elsewhere, and characters that only the other script has. */
const NOT_IN_TAIWAN =
  /服務器|網絡|默認|信息|軟件|硬件|數據|內存|程序|接口|(?<!管理員)密鑰|賬|令牌|質量|用戶(?!端)|返回|調用|響應|字符|支持|配置|緩存/;
const SIMPLIFIED = /[们这个为务错误请应级网络据码钥额储现转换过还没时间对实问题账户号让与发从]/u;

test('every page that is named here is there, and no other', () => {
  expect(readdirSync(join(DOCS, 'zh-TW')).sort()).toEqual(TRANSLATED);
});

describe.each(TRANSLATED)('%s', (name) => {
  const english = read(name);
  const chinese = read(join('zh-TW', name));

  test('has the same code, block by block', () => {
    expect(blocksOf(chinese)).toEqual(blocksOf(english));
  });

  test('has the same sections', () => {
    expect(levelsOf(chinese)).toEqual(levelsOf(english));
  });

  test('has the same tables: as many rows, and in each the same names', () => {
    expect(rowsOf(chinese)).toEqual(rowsOf(english));
  });

  test('leads to the same pages, and to the same parts of them', () => {
    expect(linksOf('zh-TW', name)).toEqual(linksOf('.', name));
  });

  test('is in the words and characters of Taiwan', () => {
    const words = withoutBlocks(chinese);
    expect(NOT_IN_TAIWAN.exec(words)?.[0]).toBeUndefined();
    expect(SIMPLIFIED.exec(words)?.[0]).toBeUndefined();
  });
});
