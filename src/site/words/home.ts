// The words of the front page.

import type { Said } from './said.ts';

export const en = {
  title: 'one key, many models, in NT$',
  headline: 'One key for many models, and every dollar accounted for.',
  lead: 'An AI gateway that speaks the OpenAI, Anthropic and Gemini formats, bills in New Taiwan dollars from a prepaid wallet, and shows which upstream channel served each answer.',
  demo: {
    all: 'Demo server: no model provider is connected. Every model answers with built-in text. Paid demo models still charge the balance, to show how billing works.',
    free: 'On this server auto:free is a demo: it answers with built-in text and calls no model.',
  },
  firstCall: 'Your first request',
  firstCallLead: 'One request registers an account and returns a key with NT$1 of trial credit. No human is needed.',
  thenAsk: 'Then call the free model, which also works at a balance of NT$0:',
  thenAskPaid: 'Then call a model. The trial credit pays for it:',
  freeNow: 'Free model: current status',
  freeBy: (channels: string) => `Upstream channel: ${channels}`,
  freeLimits: (minute: number, zero: number, positive: number) =>
    `${minute} requests a minute; ${zero} a day at NT$0, ${positive} a day with a balance.`,
  paidBy: 'Paid models are charged to your balance. Redeem a prepaid card to top it up.',
  promises: 'What we promise',
  promise1: 'Exact billing',
  promise1Text:
    'Each request reserves its maximum cost and pays for what it used. A balance never goes below zero, however many requests run at the same time.',
  promise2: 'Streams that recover',
  promise2Text:
    'If an upstream fails mid-stream, another one continues the answer where possible. You never get a partial answer that looks complete.',
  promise3: 'Your own tools',
  promise3Text: 'Claude Code, Codex, opencode and the official SDKs work with a base URL and a key.',
  promise4: 'No content stored',
  promise4Text: 'Prompts and replies are never stored. We store token counts and costs only.',
  toPlay: 'Open the playground',
  trace: {
    title: 'One request, as an example',
    held: 'Held in your wallet',
    heldMore: (tokens: string) => `the most it can cost, with max_tokens ${tokens}`,
    failed: (channel: string) => `${channel} fails`,
    failedMore: (next: string) => `503; the request moves to ${next}, and you pay nothing for the failure`,
    answers: (channel: string) => `${channel} answers`,
    answersMore: 'the first token arrives, streamed in the format of your client',
    charged: 'Charged',
    chargedMore: (input: string, output: string) =>
      `${input} tokens in and ${output} out; the rest of the hold is available again`,
    headers: 'The answer says so itself:',
  },
  toAccount: 'Your account',
  createAccount: 'Create an account on this site',
  seePrices: 'See all prices',
};

export const zh: Said<typeof en> = {
  title: '一把金鑰，多種模型，以 NT$ 計費',
  headline: '一把金鑰使用多種模型，每一筆費用都清楚列出。',
  lead: '同時支援 OpenAI、Anthropic 與 Gemini 格式的 AI 閘道。從預付餘額以 NT$ 扣款，並顯示每個回答由哪一條供應商線路提供。',
  demo: {
    all: '這是示範伺服器：尚未連接任何模型供應商，所有模型都以內建文字回答。付費的示範模型仍會扣款，用來展示計費方式。',
    free: '本站的 auto:free 是示範模型：以內建文字回答，不會呼叫真正的模型。',
  },
  firstCall: '第一次呼叫',
  firstCallLead: '一次呼叫即可完成註冊，取得金鑰與 NT$1 試用金，不需要真人操作。',
  thenAsk: '接著呼叫免費模型，餘額為 NT$0 也能使用：',
  thenAskPaid: '接著呼叫模型，費用由試用金支付：',
  freeNow: '免費模型目前狀況',
  freeBy: (channels) => `供應商線路：${channels}`,
  freeLimits: (minute, zero, positive) =>
    `每分鐘 ${minute} 次；餘額為 NT$0 時每天 ${zero} 次，有餘額時每天 ${positive} 次。`,
  paidBy: '付費模型從餘額扣款，兌換儲值卡即可增加餘額。',
  promises: '我們的承諾',
  promise1: '計費精確',
  promise1Text: '每次請求先保留可能的費用，再依實際用量扣款。無論同時執行多少請求，餘額都不會變成負數。',
  promise2: '串流不中斷',
  promise2Text: '供應商線路中途中斷時，會盡可能由另一條線路接續回答。您不會收到看似完整、實際上只有一部分的回答。',
  promise3: '沿用您的工具',
  promise3Text: 'Claude Code、Codex、opencode 與官方 SDK，只要設定 Base URL 與金鑰就能使用。',
  promise4: '不儲存內容',
  promise4Text: '從不儲存提示詞與回覆，只記錄 Token 數量與費用。',
  toPlay: '開啟對話測試',
  trace: {
    title: '一次請求的實例',
    held: '先保留',
    heldMore: (tokens) => `這次請求最多的費用（max_tokens 為 ${tokens}）`,
    failed: (channel) => `${channel} 故障`,
    failedMore: (next) => `回應 503，請求改由 ${next} 處理；失敗不收費`,
    answers: (channel) => `${channel} 開始回答`,
    answersMore: '第一個 Token 抵達，以您用戶端的格式串流',
    charged: '扣款',
    chargedMore: (input, output) => `輸入 ${input} 個 Token、輸出 ${output} 個；其餘保留的金額立即恢復可用`,
    headers: '回應標頭也會註明：',
  },
  toAccount: '前往帳戶',
  createAccount: '在本站建立帳戶',
  seePrices: '查看所有價格',
};
