// Generates the table of quirks in docs/translation.md and its Chinese page.

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
  atHost(endpoint: string, path: string): string;
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
      ...['output limit', 'system message in the middle', 'accepts effort', 'reasoning sent back as'],
      ...['JSON answers', 'files and audio', 'notes'],
    ],
    none: 'none',
    yes: 'yes',
    no: 'no',
    foldedSystem: 'text of the user',
    reasoningElse: ', otherwise ',
    noReasoning: 'not sent',
    bySchema: 'by schema',
    limitByModel: "`max_tokens`; `max_completion_tokens` for OpenAI's thinking models",
    inWords: 'described in the prompt',
    ownKeyHeader: 'our key is sent as `api-key`',
    atHost: (endpoint, path) => `${endpoint} is called at ${path} of the host`,
    nineInIds: 'call ids have nine letters and digits',
    fortyInIds: 'call ids have at most 40 characters',
    wantsAnswerToResults: 'an assistant message `OK.` is inserted between tool results and a user or system message',
    needsThoughts: 'gets the reasoning text of any model',
    noParallelFlag: 'no `parallel_tool_calls`',
    favoursResponses: 'newer models are called in `responses`',
    notGiven: (names) => `not sent: ${names.join(', ')}`,
    semicolon: '; ',
  },
  'zh-TW': {
    columns: ['輸出上限', '對話中間的系統訊息', '接受強度', '推理送回時放在', 'JSON 回答', '檔案與音訊', '其他'],
    none: '無',
    yes: '是',
    no: '否',
    foldedSystem: '併入使用者的文字',
    reasoningElse: '，否則 ',
    noReasoning: '不送回',
    bySchema: '依 schema',
    limitByModel: '`max_tokens`；OpenAI 的思考模型為 `max_completion_tokens`',
    inWords: '在提示裡說明',
    ownKeyHeader: '我們的金鑰以 `api-key` 送出',
    atHost: (endpoint, path) => `${endpoint} 以主機的 ${path} 呼叫`,
    nineInIds: '呼叫的編號為九個英文字母與數字',
    fortyInIds: '呼叫的編號最多 40 個字元',
    wantsAnswerToResults: '工具結果與使用者或系統訊息之間，插入一則 assistant 訊息 `OK.`',
    needsThoughts: '會收到任何模型的推理文字',
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
    ...Object.entries(quirks.hostPaths).map(([endpoint, path]) => words.atHost(code(endpoint), code(path))),
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
