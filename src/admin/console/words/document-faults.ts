// Faults of a document in Chinese. The checks say them in English, for the command line and the API, too; the parts that vary
// are taken over. A fault without a translation is shown in English.

import type { Language } from '../../../site/language.ts';

const EXACT: Readonly<Record<string, string>> = {
  'unknown field': '沒有這個欄位',
  'is not allowed here': '這裡不可使用',
  'must not be empty': '不可空白',
  'must not be an empty list': '清單不可空白',
  'must be a whole number': '必須是整數',
  'must be an http or https URL': '必須是 http 或 https 網址',
  '"gateway" is reserved': '「gateway」是保留名稱',
  'must have 1 to 63 characters, only a-z, 0-9, ".", "_" and "-", and begin with a letter or a digit':
    '必須是 1 到 63 個字元，只能用 a-z、0-9、「.」、「_」、「-」，並以字母或數字開頭',
  'must have only a-z, 0-9, ".", "_" and "-", begin with a letter or a digit, and may end like ":free"':
    '只能用 a-z、0-9、「.」、「_」、「-」，以字母或數字開頭，結尾可以像「:free」',
  'must be "auto" or a whole number of milliseconds from 1 to 600000': '必須是「auto」，或 1 到 600000 的整數毫秒',
  'must be "auto", "off" or a whole number of milliseconds from 1 to 600000':
    '必須是「auto」、「off」，或 1 到 600000 的整數毫秒',
  'must be "free" or a table of prices (input, output, …)': '必須是「free」，或價格表（input、output 等）',
  'must be a decimal number of NT$': '必須是 NT$ 的十進位數字',
  'must be a decimal number': '必須是十進位數字',
  'must not be below 0': '不可小於 0',
  'must be above 0; a model that costs nothing says "price: free"': '必須大於 0；免費的模型請寫「price: free」',
  'needs either above_input_tokens or from_input_tokens': '需要 above_input_tokens 或 from_input_tokens 其中一個',
  'needs a price': '需要價格',
  'needs at least one channel': '至少需要一條供應商線路',
  'needs at least one model': '至少需要一個模型',
  'needs at least one route': '至少需要一條路由',
  'must begin at more input tokens than the tier before it': '起始的輸入 Token 數必須大於前一級',
  'is the standard tier, whose factor is 1: leave it out': '是標準級，倍率固定為 1，請刪除',
  'must have 1 to 32 characters, only a-z, 0-9, "_" and "-", and begin with a letter':
    '必須是 1 到 32 個字元，只能用 a-z、0-9、「_」、「-」，並以字母開頭',
  'must be later than that of the change before it': '必須晚於前一次變更',
  'must be a date such as 2026-12-11, or a time with its offset from UTC such as 2026-12-11T09:00:00+08:00':
    '必須是日期，例如 2026-12-11，或含時區的時間，例如 2026-12-11T09:00:00+08:00',
  'must have no user info (the part before "@"): put the key into api_key':
    '不可包含帳號密碼（「@」之前的部分），金鑰請寫在 api_key',
  'only a channel of kind openai may have it': '只有 openai 類型的線路可以使用',
  'names no variable: write env:NAME': '沒有變數名稱，請寫成 env:NAME',
  'names no file: write file:PATH': '沒有檔案路徑，請寫成 file:PATH',
  'has characters that no header can carry: line ends and other control characters, or letters beyond U+00FF':
    '含有標頭無法傳送的字元：換行等控制字元，或 U+00FF 以外的文字',
  'there is no stored secret to keep for <kept>': '沒有可沿用的已保存金鑰，不能寫 <kept>',
  'a model is not its own fallback': '模型不能是自己的備援',
  'a free model falls back to free ones only, a paid one to paid ones only':
    '免費模型的備援必須免費，付費模型的備援必須付費',
  'auto:free is the free model: it must say "free"': 'auto:free 是免費模型，價格必須寫「free」',
  'auto:free cannot retire: registration and errors point to it': 'auto:free 不能停用：註冊與錯誤訊息會指向它',
  'a model of kind images needs this price, or input and output': 'images 類型的模型需要這項價格，或 input 與 output',
  'a model of kind speech needs this price, or input and output': 'speech 類型的模型需要這項價格，或 input 與 output',
  'a model of kind transcription needs this price, or input and output':
    'transcription 類型的模型需要這項價格，或 input 與 output',
  'a model of kind rerank needs this price, or input': 'rerank 類型的模型需要這項價格，或 input',
  'needs replaced_by, the model that serves its calls then': '需要 replaced_by，也就是屆時接手的模型',
  'needs retires_at, the date from which it applies': '需要 retires_at，也就是生效日期',
  'bedrock-mantle has the OpenAI format: use kind openai, the address with /v1 at its end, and an API key of Bedrock':
    'bedrock-mantle 使用 OpenAI 格式：類型請改為 openai，位址結尾加上 /v1，並使用 Bedrock 的 API 金鑰',
  'a model does not replace itself': '模型不能取代自己',
  'these models replace each other in a circle': '這些模型互相取代，形成循環',
  'a free model is replaced by a free one only, a paid one by a paid one only':
    '免費模型只能由免費模型取代，付費模型只能由付費模型取代',
  'the document is empty: it needs channels and models': '設定是空的，需要 channels 與 models',
  'the document must be a table of fields, with channels and models': '設定必須是欄位表，包含 channels 與 models',
  'the document has too many YAML aliases, or one without an anchor': '設定的 YAML 別名太多，或有別名沒有對應的錨點',
  'the document is not UTF-8: save the file as UTF-8': '設定不是 UTF-8，請以 UTF-8 存檔',
};

const YAML: Readonly<Record<string, string>> = {
  'an alias (*name) cannot have an anchor or a tag': '別名（*name）不能有錨點或標籤',
  'an alias (*name) or an anchor (&name) has no proper name': '別名（*name）或錨點（&name）的名稱不正確',
  'a tag does not fit the list or table behind it': '標籤與後面的清單或表格不符',
  'a line that begins with % is not understood': '無法解讀以 % 開頭的一行',
  'a text in double quotes has a backslash with an unknown letter': '雙引號文字裡的反斜線接了不認識的字母',
  'the indentation does not fit the lines around it, or a bracket is not closed': '縮排與前後行不符，或括號沒有關閉',
  'an anchor or a tag is in the wrong place': '錨點或標籤的位置不對',
  'a text begins with a reserved character; put it in quotes': '文字以保留字元開頭，請加上引號',
  'a line has a second ": ", or the indentation is wrong; put the text in quotes':
    '一行裡有第二個「: 」，或縮排錯誤；請替文字加上引號',
  'an indented list or table is inside [ ] or { }': '[ ] 或 { } 裡有縮排的清單或表格',
  'a field appears twice in the same table': '同一個表格裡有重複的欄位',
  'this cannot be read': '無法讀取',
  'the name of a field is longer than 1024 characters': '欄位名稱超過 1024 個字元',
  'a quote, a bracket, a comma or the ":" after a name is missing, or the indentation is wrong':
    '缺少引號、括號、逗號或名稱後的「:」，或縮排錯誤',
  'the name of a field goes over several lines; is a ":" missing?': '欄位名稱跨了好幾行，是不是少了「:」？',
  'one value has several anchors': '一個值有多個錨點',
  'a second document begins here ("---"); there can be only one': '這裡開始了第二份文件（「---」），只能有一份',
  'one value has several tags': '一個值有多個標籤',
  'the name of a field must be a text': '欄位名稱必須是文字',
  'it is nested too deep': '巢狀層數太多',
  'a tab is used for indentation; use spaces': '縮排用了 Tab，請改用空格',
  'a tag is not known here': '不認識這個標籤',
  'unexpected text': '出現不該有的文字',
};

const TYPES: Readonly<Record<string, string>> = {
  'a list': '清單',
  'a table of fields': '欄位表',
  'a text': '文字',
  'a number': '數字',
  'a whole number': '整數',
  'true or false': 'true 或 false',
};

type Say = (...parts: string[]) => string;

const PATTERNS: readonly (readonly [RegExp, Say])[] = [
  [/^not valid YAML: (.*)$/, (reason = '') => `不是有效的 YAML：${YAML[reason] ?? reason}`],
  [/^must be one of (.*)$/, (list) => `必須是下列之一：${list}`],
  [/^must have at least (\d+) characters$/, (count) => `至少要有 ${count} 個字元`],
  [/^must have at most (\d+) characters$/, (count) => `最多 ${count} 個字元`],
  [/^must have at least (\d+) entries$/, (count) => `至少要有 ${count} 項`],
  [/^must have at most (\d+) entries$/, (count) => `最多 ${count} 項`],
  [/^must be at least (\d+)$/, (least) => `不可小於 ${least}`],
  [/^must be at most (\d+)$/, (most) => `不可大於 ${most}`],
  [/^must be a plain decimal with at most (\d+) decimals$/, (count) => `必須是一般的十進位數字，最多 ${count} 位小數`],
  [
    /^must be a plain decimal above 0, at most (\d+), with at most (\d+) decimals$/,
    (most, count) => `必須是大於 0、最多 ${most} 的十進位數字，最多 ${count} 位小數`,
  ],
  [/^must not exceed NT\$(\d+)$/, (most) => `不可超過 NT$${most}`],
  [/^is no tool with a price; there are (.*)$/, (list) => `不是可以定價的工具；可用的有 ${list}`],
  [/^"(.*)" is used twice$/, (name) => `「${name}」重複使用`],
  [/^"(.*)" already names a model$/, (name) => `「${name}」已經是另一個模型的名稱`],
  [/^a channel of kind (\w+) needs one$/, (kind) => `${kind} 類型的線路需要這個欄位`],
  [/^there is no channel "(.*)"$/, (name) => `沒有「${name}」這條供應商線路`],
  [/^there is no model "(.*)"$/, (name) => `沒有「${name}」這個模型`],
  [/^a model of kind (\w+) needs this price$/, (kind) => `${kind} 類型的模型需要這項價格`],
  [/^"(.*)" does not serve (.*)$/, (name, kinds) => `「${name}」不提供 ${kinds}`],
  [
    /^needs a route to a channel with (.*)$/,
    (list = '') => `需要一條路由，通往有 ${list.replace(' or ', '、')} 端點的線路`,
  ],
  [
    /^a channel of kind (\w+) has only (.*?)(; messages needs anthropic_base_url)?$/,
    (kind, list, hint) => `${kind} 類型的線路只有 ${list}${hint ? '；messages 需要 anthropic_base_url' : ''}`,
  ],
  [
    /^Bedrock serves (.*) only by Converse or InvokeModel/,
    (model) =>
      `Bedrock 只透過 Converse 或 InvokeModel 提供 ${model}，閘道無法呼叫：請移除這條路由，或改用 Bedrock 以 Chat Completions 提供的模型`,
  ],
  [/^must be (.*)$/, (type = '') => `必須是${TYPES[type] ?? ` ${type}`}`],
];

export function documentFaultText(language: Language, message: string): string {
  if (language === 'en') return message;
  const exact = EXACT[message];
  if (exact !== undefined) return exact;
  for (const [pattern, say] of PATTERNS) {
    const [whole, ...parts] = pattern.exec(message) ?? [];
    if (whole !== undefined) return say(...parts);
  }
  return message;
}
