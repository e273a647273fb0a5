// The counts against real tokenizers: what pays for a hold must never be too little, what refuses never too much, and what
// is charged is near.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens, weighTokens } from '../../src/kit/tokens.ts';

const ALPHABETS: Record<string, [from: number, to: number][]> = {
  'lower-case letters': [[0x61, 0x7a]],
  'base64 and code': [[0x20, 0x7e]],
  digits: [[0x30, 0x39]],
  'control characters': [[0x01, 0x1f]],
  'Latin, Greek, Cyrillic': [[0xc0, 0x4ff]],
  'Arabic and Thai': [
    [0x600, 0x6ff],
    [0xe01, 0xe5b],
  ],
  'symbols and private use': [
    [0x2000, 0x2bff],
    [0xe000, 0xf8ff],
  ],
  'kana and hangul': [
    [0x3041, 0x30ff],
    [0xac00, 0xd7a3],
  ],
  'Chinese, common and rare': [
    [0x3400, 0x4db5],
    [0x4e00, 0x9fa5],
  ],
  'emoji and characters beyond 16 bits': [
    [0x1f300, 0x1f9ff],
    [0x20000, 0x2a6d6],
  ],
};

describe('the upper bound holds for real tokenizers', () => {
  for (const [name, ranges] of Object.entries(ALPHABETS)) {
    test(name, () => {
      const char = fc.oneof(
        ...ranges.map(([min, max]) => fc.integer({ min, max }).map((c) => String.fromCodePoint(c))),
      );
      fc.assert(
        fc.property(fc.array(char, { minLength: 200, maxLength: 600 }), (chars) => {
          const text = chars.join('');
          const { upper } = countTokens(text);
          expect(o200k(text).length).toBeLessThanOrEqual(upper);
          expect(cl100k(text).length).toBeLessThanOrEqual(upper);
        }),
        { numRuns: 40 },
      );
    });
  }
});

describe('the upper bound holds for texts that are made to exceed it', () => {
  /** Bits of text that tokenizers cut into single bytes, or join as seldom as they can. */
  const CUTS = [
    ...[
      '  0',
      ' 0',
      '0',
      'a0',
      '0a',
      ' \t',
      '\u0001',
      '\u0000a',
      '\n \n',
      ' a',
      '  a',
      "'s",
      "'ll",
      '  ',
      '\t\t0',
      'A',
      'aB',
    ],
    ...['qj', 'jv', 'vq', 'gk', 'wv', 'yf', 'oq', 'zx', 'xj', 'kz', 'q', 'j', 'z', 'x', 'v', 'k', 'f', 'w'],
    ...['th', 'er', 'in', 'g', 'e', 'a', 'tr', 'sch', 'mp', 'hc', 'lm', 'rp', 'uo', 'yl'],
    ...['👩‍👩‍👧‍👦', '🇹🇼', '👍🏽', '\u200d', '\ufe0f', '\u0301', 'é', 'ꊿ', 'Ꮒ', '𒀀', '㐀', '\ue000', '\ufffd', '𠀀'],
  ];

  test.each(CUTS)('%j, over and over', (cut) => {
    const text = cut.repeat(300);
    const { upper } = countTokens(text);
    for (const tokens of [o200k(text), cl100k(text)]) expect(tokens.length).toBeLessThanOrEqual(upper);
  });

  test('any of them in any order', () => {
    const anyCuts = fc.array(fc.constantFrom(...CUTS), { minLength: 20, maxLength: 300 });
    fc.assert(
      fc.property(anyCuts, (cuts) => {
        const text = cuts.join('');
        const { upper } = countTokens(text);
        for (const tokens of [o200k(text), cl100k(text)]) expect(tokens.length).toBeLessThanOrEqual(upper);
      }),
      { numRuns: 2_000 },
    );
  });

  test('few letters, over and over', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz '), minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(letters, (part) => {
        const text = part.repeat(40);
        const { upper } = countTokens(text);
        for (const tokens of [o200k(text), cl100k(text)]) expect(tokens.length).toBeLessThanOrEqual(upper);
      }),
      { numRuns: 5_000 },
    );
  });
});

test('ordinary prose is estimated within a third', () => {
  const texts = [
    'It was a bright cold day in April, and the clocks were striking. Nothing moved in the street but a cat. ',
    '這是一段一般的繁體中文，用來估計詞元的數量；標點符號、數字 123 與英文 words 也會出現在裡面。',
    'export function add(a: number, b: number): number {\n  return a + b;\n}\n',
  ];
  for (const text of texts) {
    const long = text.repeat(20);
    const real = o200k(long).length;
    const { estimate } = countTokens(long);
    expect(estimate).toBeGreaterThan(real * 0.66);
    expect(estimate).toBeLessThan(real * 1.34);
  }
});

describe('languages', () => {
  const SAID: [language: string, text: string][] = [
    ['English', 'The weather is good today, so we decided to take a walk in the park and talk about our projects.'],
    ['Traditional Chinese', '今天天氣很好，所以我們決定去公園散步，聊聊公司新的計畫，晚上再一起回台北吃飯。'],
    ['Japanese', '今日は天気がいいので、公園を散歩しながら会社の新しいプロジェクトについて話すことにしました。'],
    ['Korean', '오늘은 날씨가 좋아서 공원을 산책하면서 회사의 새로운 프로젝트에 대해 이야기하기로 했습니다.'],
    ['Russian', 'Сегодня хорошая погода, поэтому мы решили пойти гулять в парк и поговорить о новых проектах.'],
    ['Ukrainian', 'Сьогодні гарна погода, тому ми вирішили піти гуляти в парк і поговорити про нові проєкти.'],
    ['Greek', 'Σήμερα ο καιρός είναι καλός και αποφασίσαμε να πάμε μια βόλτα στο πάρκο με την εταιρεία μας.'],
    ['Hebrew', 'היום מזג האוויר טוב ולכן החלטנו לטייל בפארק ולדבר על הפרויקטים החדשים של החברה שלנו.'],
    ['Arabic', 'الطقس جميل اليوم ولذلك قررنا الذهاب إلى الحديقة والتحدث عن المشاريع الجديدة لشركتنا.'],
    ['Persian', 'امروز هوا خوب است، بنابراین تصمیم گرفتیم در پارک قدم بزنیم و درباره شرکت صحبت کنیم.'],
    ['Hindi', 'आज मौसम अच्छा है इसलिए हमने पार्क में टहलने और नई परियोजनाओं के बारे में बात करने का फैसला किया।'],
    ['Tamil', 'இன்று வானிலை நன்றாக இருப்பதால் பூங்காவில் நடந்து சென்று பேச முடிவு செய்தோம்.'],
    ['Thai', 'วันนี้อากาศดีมาก เราจึงตัดสินใจไปเดินเล่นที่สวนสาธารณะและคุยกันเรื่องโครงการใหม่ของบริษัท'],
    ['Vietnamese', 'Hôm nay thời tiết đẹp nên chúng tôi quyết định đi dạo trong công viên và nói về các dự án mới.'],
    ['French', 'Aujourd’hui le temps est très agréable, nous avons donc décidé de nous promener à la forêt.'],
    ['Polish', 'Dziś jest ładna pogoda, więc postanowiliśmy pójść na spacer do parku i porozmawiać o spółce.'],
    ['Turkish', 'Bugün hava güzel, bu yüzden parkta yürüyüşe çıkmaya ve şirketimiz hakkında konuşmaya karar verdik.'],
  ];

  test.each(SAID)('%s is estimated within a factor of 1.75, and never refused for what it is not', (_, said) => {
    const text = `${said} `.repeat(20);
    const { lower, estimate, upper } = countTokens(text);
    const newer = o200k(text).length;
    const older = cl100k(text).length;
    expect(estimate / newer).toBeWithin(1 / 1.75, 1.75);
    expect(lower).toBeLessThan(Math.min(newer, older) / 1.5);
    expect(upper).toBeGreaterThanOrEqual(Math.max(newer, older));
    expect(Math.round(weighTokens(text))).toBeWithin(estimate - 1, estimate + 1);
  });

  const RARE: [script: string, text: string][] = [
    ['Amharic', 'የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።'],
    ['Tibetan', 'འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང་'],
    ['Lao', 'ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ ສິດທິ ເສລີພາບ ແລະຄວາມສະເໝີພາບ'],
    ['Cherokee', 'ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ ᎠᎴ ᎤᏂᏠᏱ ᎤᎾᏕᎿ ᏚᏳᎧᏛ ᎨᏒᎢ'],
    ['Inuktitut', 'ᐃᓄᓕᒫᑦ ᐊᓂᖅᑎᕆᔪᓕᒫᑦ ᐃᓅᓕᖅᑐᑦ ᐃᓱᒪᕐᓱᕐᑎᐊᖅᖢᑎᒃ'],
    ['Mongolian', 'ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ ᠮᠡᠨᠳᠡᠯᠡᠬᠦ ᠡᠷᠬᠡ ᠴᠢᠯᠥᠭᠡ ᠲᠡᠢ'],
    ['Thaana', 'ހުރިހާ އިންސާނުންވެސް އުފަންވަނީ'],
    ['Yi', 'ꊿꂷꃅꄿꐨꐥ，ꌅꅍꂘꀨꐳꂿꐨꑌꐥꌐ。'],
    ['Khmer', 'មនុស្សទាំងអស់កើតមកមានសេរីភាព និងសមភាពក្នុងផ្នែកសេចក្តីថ្លៃថ្នូរ'],
    ['Burmese', 'လူတိုင်းသည် တူညီလွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း၊'],
    ['Braille', '⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙'],
    ['rare Chinese', '㐀㐁㐂㐃㐄㐅㑇㑊㕮㘎'],
  ];

  test.each(RARE)('%s, which tokenizers break up, is estimated within a factor of 2', (_, said) => {
    const text = `${said} `.repeat(20);
    const { lower, estimate, upper } = countTokens(text);
    const real = o200k(text).length;
    expect(estimate / real).toBeWithin(1 / 2, 2);
    expect(lower).toBeLessThan(real / 1.5);
    expect(upper).toBeGreaterThanOrEqual(real);
    expect(Math.round(weighTokens(text))).toBeWithin(estimate - 1, estimate + 1);
  });

  test.each([
    ['a table drawn with lines', '│ alpha  │ 1      │\n├────────┼────────┤\n'],
    ['code that is far to the right', `${' '.repeat(24)}return value;\n`],
  ])('%s is not refused for what it is not, either', (_, part) => {
    const text = part.repeat(40);
    expect(countTokens(text).lower).toBeLessThan(Math.min(o200k(text).length, cl100k(text).length));
  });
});
