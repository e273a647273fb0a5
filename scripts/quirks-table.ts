// The table of quirks in docs/translation.md and its Chinese page, generated so that it cannot drift.

import type { Language } from '../src/site/language.ts';
import { QUIRKS_NAMES, type Quirks, quirksOf } from '../src/vendors/quirks.ts';

interface QuirksWords {
  columns: readonly string[];
  none: string;
  yes: string;
  no: string;
  foldedSystem: string;
  reasoningElse: string;
  noReasoning: string;
  bySchema: string;
  limitByModel: string;
  inWords: string;
  ownKeyHeader: string;
  nineInIds: string;
  fortyInIds: string;
  wantsAnswerToResults: string;
  needsThoughts: string;
  noParallelFlag: string;
  favoursResponses: string;
  notGiven(names: readonly string[]): string;
  semicolon: string;
}

const WORDS: Record<Language, QuirksWords> = {
  en: {
    columns: [
      ...['output bound', 'a system message in the middle is', 'takes effort', 'reasoning goes back as'],
      ...['JSON answers', 'files and sound', 'besides'],
    ],
    none: 'none',
    yes: 'yes',
    no: 'no',
    foldedSystem: "the user's text",
    reasoningElse: ', else ',
    noReasoning: 'not at all',
    bySchema: 'by its schema',
    limitByModel: "`max_tokens`, of OpenAI's thinking models `max_completion_tokens`",
    inWords: 'told in words',
    ownKeyHeader: 'our key goes as `api-key`',
    nineInIds: 'ids of calls have nine letters and digits',
    fortyInIds: 'ids of calls have at most 40 characters',
    wantsAnswerToResults: 'an `OK.` of the assistant stands between results of tools and words of others',
    needsThoughts: "given the words of any model's reasoning",
    noParallelFlag: 'no `parallel_tool_calls`',
    favoursResponses: 'newer models are asked in `responses`',
    notGiven: (names) => `not given ${names.join(', ')}`,
    semicolon: '; ',
  },
  'zh-TW': {
    columns: ['輸出上限', '對話中間的系統訊息成為', '接受強度', '推理送回時放在', 'JSON 答案', '檔案與音訊', '其他'],
    none: '無',
    yes: '是',
    no: '否',
    foldedSystem: '使用者的文字',
    reasoningElse: '，否則 ',
    noReasoning: '不送回',
    bySchema: '依其 schema',
    limitByModel: '`max_tokens`；OpenAI 的思考模型為 `max_completion_tokens`',
    inWords: '以文字說明',
    ownKeyHeader: '我們的金鑰以 `api-key` 送出',
    nineInIds: '呼叫的編號為九個英文字母與數字',
    fortyInIds: '呼叫的編號最多 40 個字元',
    wantsAnswerToResults: '工具結果與其他人的話之間，插入助理的一句 `OK.`',
    needsThoughts: '會收到推理的文字，不論出自哪個模型',
    noParallelFlag: '沒有 `parallel_tool_calls`',
    favoursResponses: '較新的模型以 `responses` 呼叫',
    notGiven: (names) => `不送 ${names.join('、')}`,
    semicolon: '；',
  },
};

export function quirksTableMarkdown(language: Language): string {
  const words = WORDS[language];
  const rows = [undefined, ...QUIRKS_NAMES].map((name) => {
    const quirks = quirksOf(name);
    return [
      name === undefined ? words.none : code(name),
      limitFieldOf(quirks, words),
      quirks.midSystem === 'fold' ? words.foldedSystem : code(quirks.midSystem),
      quirks.takesEffort ? words.yes : words.no,
      reasoningOf(quirks, words),
      quirks.takesSchema ? words.bySchema : words.inWords,
      quirks.takesFiles ? words.yes : words.no,
      othersOf(quirks, words).join(words.semicolon) || '–',
    ];
  });
  const [head, ...body] = [[code('quirks'), ...words.columns], ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [head, '|---|---|---|---|---|---|---|---|', ...body].join('\n');
}

function limitFieldOf({ limitField }: Quirks, words: QuirksWords): string {
  return limitField === 'by_model' ? words.limitByModel : code(limitField);
}

function reasoningOf({ reasoningField, takesDetails }: Quirks, words: QuirksWords): string {
  const names = [...(takesDetails ? ['reasoning_details'] : []), ...(reasoningField ? [reasoningField] : [])];
  return names.map(code).join(words.reasoningElse) || words.noReasoning;
}

function othersOf(quirks: Quirks, words: QuirksWords): string[] {
  const { auth, callIds, needsThoughts, takesParallelFlag, refuses } = quirks;
  return [
    ...(quirks.favoursResponses ? [words.favoursResponses] : []),
    ...(auth === 'api-key' ? [words.ownKeyHeader] : []),
    ...(callIds === 'nine' ? [words.nineInIds] : []),
    ...(callIds === 'forty' ? [words.fortyInIds] : []),
    ...(quirks.wantsAnswerToResults ? [words.wantsAnswerToResults] : []),
    ...(needsThoughts ? [words.needsThoughts] : []),
    ...(takesParallelFlag ? [] : [words.noParallelFlag]),
    ...(refuses.length > 0 ? [words.notGiven(refuses.map(code))] : []),
  ];
}

function code(name: string): string {
  return `\`${name}\``;
}
