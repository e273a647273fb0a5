// Both dictionaries say everything, use what they are given, and the Chinese one is Taiwan's.

import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { consoleWords } from '../../src/admin/console/words/words.ts';
import { dateTime, money, percent, roundedMoney, sentences } from '../../src/site/format.ts';
import { LANGUAGES, type Language, wordsOf } from '../../src/site/language.ts';

interface Said {
  place: string;
  text: string;
  given: string[];
}

/** Every sentence, with marks in place of what is filled in. */
function everything(words: object, above = ''): Said[] {
  return Object.entries(words).flatMap(([name, said]): Said[] => {
    const place = above + name;
    if (typeof said === 'string') return [{ place, text: said, given: [] }];
    if (typeof said !== 'function') return everything(said, `${place}.`);
    const given = Array.from({ length: said.length }, (_, index) => `‹${index}›`);
    return [{ place, text: said(...given), given }];
  });
}

/** On the site and in the console. */
function saidIn(language: Language): Said[] {
  return everything({ ...wordsOf(language), console: consoleWords(language) });
}

const DICTIONARIES = LANGUAGES.map((language) => ({ language, said: saidIn(language) }));
const ZH = saidIn('zh-TW');

// Simplified forms that Big5 has as well, as rare characters.
const ALSO_RARE = '个体与万号无礼从众云网';
const MAINLAND = [
  ...['用户', '信息', '视频', '默认', '账户', '登录', '密钥', '令牌', '充值', '网络', '软件', '程序', '数据', '接口'],
  ...['用戶', '視頻', '默認', '賬戶', '賬號', '登錄', '密鑰', '網絡', '軟件', '數據', '服務器', '質量', '屏幕', '鼠標'],
  ...[
    '鏈接',
    '緩存',
    '調用',
    '文檔',
    '支持',
    '實時',
    '兼容',
    '人工智能',
    '渠道',
    '設置',
    '添加',
    '獲取',
    '賬單',
    '退出',
  ],
];

/** Second names of things that have one: a card is a 儲值卡, its code a 卡號, a picture a 圖片, a channel a 供應商線路, a usage
 * record a 用量明細; a key is replaced by 更換, an account is 已暫停使用, and embeddings are 向量嵌入. */
const SECOND_NAMES = [
  ...['點數卡', '代碼', '圖像', '快取讀取', '輪替', '嵌入向量', '詞元', '通道', '收據', '沿革', '權杖', '凍結'],
  ...['我方錯誤', '繞回', '加成', '設定文件', '臺北'],
];
/** Of them those that are no other thing's name in the docs. */
const SECOND_NAMES_OF_DOCS = [
  '點數卡',
  '輪替',
  '嵌入向量',
  '圖像',
  '詞元',
  '通道',
  '收據',
  '沿革',
  '權杖',
  '凍結',
  '臺北',
];

/** What Taiwan's own set of characters can write. */
const BIG5 = (() => {
  const decoder = new TextDecoder('big5');
  const found = new Set<string>();
  for (let lead = 0xa4; lead <= 0xf9; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail > 0x7e && trail < 0xa1) continue;
      for (const char of decoder.decode(new Uint8Array([lead, trail]))) found.add(char);
    }
  }
  return found;
})();

/** Simplified characters: Taiwan's set has none of them, but for a few. */
function foreignCharacters(text: string): string[] {
  return [...text].filter((char) => /\p{Script=Han}/u.test(char) && (!BIG5.has(char) || ALSO_RARE.includes(char)));
}

describe.each(DICTIONARIES)('$language', ({ said }) => {
  test('says something in every place', () => {
    expect(said.filter(({ text }) => text.trim() === '').map(({ place }) => place)).toEqual([]);
  });

  test('tells what it is given, all of it', () => {
    const lost = said.filter(({ text, given }) => given.some((mark) => !text.includes(mark)));
    expect(lost.map(({ place }) => place)).toEqual([]);
  });

  test('writes NT$, and no other sign for it', () => {
    const wrong = /NTD|TWD|NT \$|(?<!NT)\$\d|元\b|台幣/;
    expect(said.filter(({ text }) => wrong.test(text)).map(({ text }) => text)).toEqual([]);
  });
});

test.each(LANGUAGES)('prices are said to be in NT$ in %s, above the list and beside it', (language) => {
  const { lead, caption } = wordsOf(language).pricing;
  expect([lead, caption]).toEqual([expect.stringContaining('NT$'), expect.stringContaining('NT$')]);
});

test.each(LANGUAGES)('an amount is asked for in NT$ in %s', (language) => {
  const { limitHelp, badAmount } = wordsOf(language).account.keys;
  for (const text of [limitHelp.dayBudget, limitHelp.monthBudget, limitHelp.totalBudget, limitHelp.sessionBudget]) {
    expect(text).toContain('NT$');
  }
  expect(badAmount('')).toContain('NT$');
});

test('the front page in Chinese bills in NT$', () => {
  const { title, lead } = wordsOf('zh-TW').home;
  expect([title, lead]).toEqual([expect.stringContaining('以 NT$ '), expect.stringContaining('以 NT$ ')]);
});

test('what is in NT$ in English is so in Chinese', () => {
  const places = saidIn('en').filter(({ text }) => text.includes('NT$'));
  const other = new Map(ZH.map(({ place, text }) => [place, text]));
  expect(places.filter(({ place }) => !other.get(place)?.includes('NT$')).map(({ place }) => place)).toEqual([]);
});

test('both have the same places', () => {
  const [places, others] = DICTIONARIES.map(({ said }) => said.map(({ place }) => place).sort());
  expect(places).toEqual(others ?? []);
});

test('a fault names its cause first, then the remedy', () => {
  const remedies =
    /^(Ask|Change|Check|Choose|Come|Correct|Create|Delete|Look|Redeem|Remove|Revoke|Send|Set|Shorten|Sign|Take|Try|Turn|Use|Wait|Write)\b|^請/;
  for (const language of LANGUAGES) {
    const { faults, fields } = wordsOf(language);
    expect(Object.values({ ...faults, ...fields }).filter((text) => remedies.test(text))).toEqual([]);
  }
});

describe("Taiwan's Chinese", () => {
  test('the guard finds what it is for', () => {
    const simplified = '们这个为会时来对说国过还没动发问题开关长门间样点当让给应认识设计请输录账单费预储钥码网链';
    expect(foreignCharacters(simplified)).toEqual([...simplified]);
    expect(foreignCharacters('請以臺灣的用語書寫個沒值')).toEqual([]);
  });

  test('has no simplified character', () => {
    expect(ZH.filter(({ text }) => foreignCharacters(text).length > 0)).toEqual([]);
  });

  test('has no word of the mainland', () => {
    const wrong = ZH.flatMap(({ place, text }) =>
      MAINLAND.filter((word) => text.includes(word) && !isPartOfOwn(text, word)).map((word) => `${place}: ${word}`),
    );
    expect(wrong).toEqual([]);
  });

  test('calls a thing by one name, on the site as in the console', () => {
    const wrong = ZH.filter(({ text }) => SECOND_NAMES.some((name) => text.includes(name)));
    expect(wrong.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  test('has Chinese punctuation beside Chinese characters', () => {
    const wrong = ZH.filter(({ text }) => /\p{Script=Han}[,;:!?()]|[,;!?()]\p{Script=Han}/u.test(text));
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });

  test('the docs in Chinese are written so, too', () => {
    const folder = join(import.meta.dir, '..', '..', 'docs', 'zh-TW');
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect([name, foreignCharacters(text)]).toEqual([name, []]);
      expect([name, SECOND_NAMES_OF_DOCS.filter((second) => text.includes(second))]).toEqual([name, []]);
    }
  });
});

/** 用戶端 is a client, 管理員密鑰 the operator's secret. */
function isPartOfOwn(text: string, word: string): boolean {
  return !text.replaceAll('用戶端', '').replaceAll('管理員密鑰', '').includes(word);
}

describe('figures', () => {
  test('times are those of Taipei, and say so', () => {
    expect(dateTime(Date.UTC(2026, 10, 14, 16, 5, 9))).toBe('2026-11-15 00:05:09 UTC+8');
  });

  test('a share is 100 % only if it is the whole', () => {
    expect([null, 0, 0.5, 0.9994, 0.9996, 0.999999, 1, 1.25].map(percent)).toEqual([
      '–',
      '0 %',
      '50.0 %',
      '99.9 %',
      '99.9 %',
      '99.9 %',
      '100 %',
      '125 %',
    ]);
  });

  test('money is exact, with two decimals at least', () => {
    expect([0n, 1n, 998_827_417n, 1_234_567_000_000_000n].map(money)).toEqual([
      'NT$0.00',
      'NT$0.000000001',
      'NT$0.998827417',
      'NT$1,234,567.00',
    ]);
  });

  test.each([
    [0n, 'NT$0'],
    [1n, '< NT$0.0001'],
    [99_999n, '< NT$0.0001'],
    [100_000n, 'NT$0.0001'],
    [149_999n, 'NT$0.0001'],
    [150_000n, 'NT$0.0002'],
    [5_000_000n, 'NT$0.005'],
    [500_000_000n, 'NT$0.50'],
    [998_827_417n, 'NT$0.9988'],
    [999_950_000n, 'NT$1.00'],
    [1_004_999_999n, 'NT$1.00'],
    [1_005_000_000n, 'NT$1.01'],
    [1_234_567_899_900_000n, 'NT$1,234,567.90'],
    [-1n, '> −NT$0.0001'],
    [-500_000_000n, '−NT$0.50'],
    [-1_005_000_000n, '−NT$1.01'],
  ])('money in lists is rounded: %p is %s', (amount, text) => {
    expect(roundedMoney(amount)).toBe(text);
  });
});

test('sentences that follow each other have a space between them, but for the Chinese, whose stop has it in itself', () => {
  expect(sentences('It is done.', 'Go on.')).toBe('It is done. Go on.');
  expect(sentences('已經處理。', '請繼續。')).toBe('已經處理。請繼續。');
  expect(sentences('已經處理。', '', '請繼續。')).toBe('已經處理。請繼續。');
  expect(sentences('', '')).toBe('');
});
