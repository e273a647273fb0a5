// Changes for API users, newest first. This is the only list: the page, the JSON feed and the Atom feed
// are written from it. Changes that only operators notice are in CHANGELOG.md alone.

import type { Language } from '../language.ts';

interface EntryFacts {
  /** Its anchor on the page and the end of its address in the feeds: it never changes. */
  id: string;
  /** The day of the change, in Taipei. */
  date: string;
  title: Readonly<Record<Language, string>>;
  /** One paragraph; names of the API stand between backticks. */
  text: Readonly<Record<Language, string>>;
  /** The name of a page of the docs. */
  docs: string;
  /** The anchor of a section of that page; the whole page without one. */
  section?: Readonly<Record<Language, string>>;
}

export type Entry = EntryFacts &
  ({ kind: 'added' | 'changed' | 'removed' } | { kind: 'deprecated' /** Not before this day. */; removedOn: string });

export type EntryKind = Entry['kind'];

/** How many days before something is removed its entry `deprecated` is published, at least. */
export const NOTICE_DAYS = 180;

export const ENTRIES: readonly Entry[] = [
  {
    id: 'model-features',
    date: '2026-11-19',
    kind: 'added',
    title: { en: 'Features of models', 'zh-TW': '模型功能' },
    text: {
      en: '`/v1/models` and the catalog can carry `features`: what a model can do, such as `tools`, `vision` or `reasoning`. The price list can be narrowed by them.',
      'zh-TW':
        '`/v1/models` 與模型目錄可以帶有 `features`：模型具備的功能，例如 `tools`、`vision` 或 `reasoning`。價格表可依功能篩選。',
    },
    docs: 'getting-started',
    section: { en: '7-list-the-models', 'zh-TW': '7-查詢模型' },
  },
  {
    id: 'statements',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Refunds and statements', 'zh-TW': '退款與對帳單' },
    text: {
      en: 'A refund is an entry of its own, the event `refund.created`, and stands on the receipt of its request. Each month of an account has a statement with name, tax ID and the tax that is included.',
      'zh-TW':
        '退款是獨立的交易，也是事件 `refund.created`，並列在該請求的用量明細。帳戶每個月都有對帳單，列出抬頭、統一編號與內含的稅額。',
    },
    docs: 'accounts',
    section: { en: 'statements', 'zh-TW': '對帳單' },
  },
  {
    id: 'more-endpoints',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Files, audio, rerank and moderations', 'zh-TW': '檔案、語音、重新排序與內容審核' },
    text: {
      en: 'New calls: `/v1/images/edits`, `/v1/images/variations`, `/v1/audio/transcriptions`, `/v1/audio/translations`, `/v1/audio/speech`, `/v1/rerank` and `/v1/moderations`. Files are never stored. Receipts have `seconds`, `characters` and `searches`.',
      'zh-TW':
        '新的呼叫：`/v1/images/edits`、`/v1/images/variations`、`/v1/audio/transcriptions`、`/v1/audio/translations`、`/v1/audio/speech`、`/v1/rerank` 與 `/v1/moderations`。檔案絕不儲存。用量明細列有 `seconds`、`characters` 與 `searches`。',
    },
    docs: 'relay',
    section: { en: 'calls', 'zh-TW': '呼叫' },
  },
  {
    id: 'gemini-clients',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Clients of the Gemini format', 'zh-TW': 'Gemini 格式的用戶端' },
    text: {
      en: "Clients of Google's Gemini format can call every chat model at `/v1beta/models/{model}:generateContent` and `:streamGenerateContent`, with the key as `x-goog-api-key`.",
      'zh-TW':
        '使用 Google Gemini 格式的用戶端，可以在 `/v1beta/models/{model}:generateContent` 與 `:streamGenerateContent` 呼叫每個對話模型，金鑰放在 `x-goog-api-key`。',
    },
    docs: 'clients',
  },
  {
    id: 'responses-websocket',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Responses over a WebSocket', 'zh-TW': '透過 WebSocket 使用 responses' },
    text: {
      en: '`GET /v1/responses` as a WebSocket takes `response.create` messages for every chat model. `POST /v1/responses/compact` shortens a conversation: at OpenAI and Azure by the vendor, elsewhere by a summary that works with every model. `POST /v1/responses/input_tokens` counts the tokens of an input.',
      'zh-TW':
        '以 WebSocket 連到 `GET /v1/responses`，可以用 `response.create` 訊息呼叫每個對話模型。`POST /v1/responses/compact` 會縮短對話：在 OpenAI 與 Azure 由供應商處理，其他情況則產生每個模型都能使用的摘要。`POST /v1/responses/input_tokens` 計算輸入的 Token 數。',
    },
    docs: 'relay',
    section: { en: 'responses-over-a-websocket', 'zh-TW': '透過-websocket-使用-responses' },
  },
  {
    id: 'caller-routing',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Your own routing', 'zh-TW': '自行指定模型與線路' },
    text: {
      en: '`models` lists models to try in order; `provider` with `only`, `ignore`, `order` and `sort` chooses channels. Request bodies can be compressed with gzip, deflate, br or zstd.',
      'zh-TW':
        '`models` 列出依序嘗試的模型；`provider` 以 `only`、`ignore`、`order` 與 `sort` 選擇線路。請求本文可以用 gzip、deflate、br 或 zstd 壓縮。',
    },
    docs: 'relay',
    section: { en: 'the-callers-own-routing', 'zh-TW': '自行指定模型與線路' },
  },
  {
    id: 'failed-usage',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Failed requests', 'zh-TW': '失敗的請求' },
    text: {
      en: '`GET /api/usage?status=failed` finds every request that failed: all except `ok`, `client_gone` and `time_limit`. The usage page has charts, and says of each of them why it failed and what to do.',
      'zh-TW':
        '`GET /api/usage?status=failed` 列出所有失敗的請求，也就是 `ok`、`client_gone` 與 `time_limit` 以外的請求。用量頁面有圖表，並說明每個失敗的原因與處理方式。',
    },
    docs: 'accounts',
    section: { en: 'balance-and-usage', 'zh-TW': '餘額與用量' },
  },
  {
    id: 'model-pages',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Pages of models', 'zh-TW': '模型頁面' },
    text: {
      en: 'Each model has a page at `/models/ID` with prices, limits, speed by channel and examples. `/v1/models` and the catalog can carry a `description`.',
      'zh-TW':
        '每個模型在 `/models/ID` 都有自己的頁面，列出價格、上限、各線路的速度與範例。`/v1/models` 與模型目錄可以帶有 `description`。',
    },
    docs: 'getting-started',
  },
  {
    id: 'events',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Events', 'zh-TW': '事件' },
    text: {
      en: '`GET /api/events` lists what happened to the account: a low balance, a used-up budget, keys, cards, incidents, prices and models that change. With `Accept: text/event-stream` it goes on as a stream. `PATCH /api/me` sets `balance_low_ntd`.',
      'zh-TW':
        '`GET /api/events` 列出帳戶發生的事：餘額偏低、預算用完、金鑰、儲值卡、服務異常，以及價格與模型的變動。帶上 `Accept: text/event-stream` 則以串流持續送出。`PATCH /api/me` 可以設定 `balance_low_ntd`。',
    },
    docs: 'accounts',
    section: { en: 'events', 'zh-TW': '事件' },
  },
  {
    id: 'webhooks',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Webhooks', 'zh-TW': 'Webhook' },
    text: {
      en: '`POST /api/webhooks` sends the same events to an address of yours, signed as Standard Webhooks, and again until they arrive.',
      'zh-TW': '`POST /api/webhooks` 把相同的事件送到您指定的網址，依 Standard Webhooks 簽章，未送達時會重送。',
    },
    docs: 'accounts',
    section: { en: 'webhooks', 'zh-TW': 'webhook' },
  },
  {
    id: 'mcp',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'MCP server', 'zh-TW': 'MCP 伺服器' },
    text: {
      en: '`/mcp` has the service as tools for clients of the Model Context Protocol, such as Claude Code and Codex. Only the tool `ask` costs money.',
      'zh-TW':
        '`/mcp` 以工具的形式提供本服務，供 Claude Code、Codex 等 Model Context Protocol 用戶端使用。只有 `ask` 會收費。',
    },
    docs: 'clients',
    section: { en: 'mcp', 'zh-TW': 'mcp' },
  },
  {
    id: 'retirement',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Dates of models and prices', 'zh-TW': '模型與價格的日期' },
    text: {
      en: 'A model that retires has `retires_at` and `replaced_by` in the catalog and in `/v1/models`, and its answers have the headers `Deprecation` and `Sunset`. After the date, calls get 410 `model_retired` or are served by the successor. Prices can be announced before they change.',
      'zh-TW':
        '即將停用的模型，在模型目錄與 `/v1/models` 有 `retires_at` 與 `replaced_by`，回應帶有標頭 `Deprecation` 與 `Sunset`。到期後，呼叫會得到 410 `model_retired`，或改由後繼模型回答。價格變動可以事先公告。',
    },
    docs: 'configuration',
    section: { en: 'models-that-retire', 'zh-TW': '停用的模型' },
  },
  {
    id: 'changelog',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'This list, and a rule for changes', 'zh-TW': '變更紀錄與變更原則' },
    text: {
      en: `Changes of the API are listed at \`/changelog\`, \`/changelog.json\` and \`/changelog.atom\`. The API only grows: whatever is to be removed is announced here ${NOTICE_DAYS} days before, and marked \`deprecated\` in \`/openapi.json\`.`,
      'zh-TW': `API 的變更列在 \`/changelog\`、\`/changelog.json\` 與 \`/changelog.atom\`。API 只增不減：要移除的項目至少在 ${NOTICE_DAYS} 天前公告在這裡，並在 \`/openapi.json\` 標示 \`deprecated\`。`,
    },
    docs: 'versioning',
  },
  {
    id: 'quotes',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Quotes', 'zh-TW': '報價' },
    text: {
      en: '`POST /api/quote` says what a call can cost, likely costs, and whether it would be refused now. With the header `x-svc-quote` the call keeps that price for 10 minutes.',
      'zh-TW':
        '`POST /api/quote` 回報一次呼叫最多會花多少、可能花多少，以及現在是否會被拒絕。帶上標頭 `x-svc-quote` 呼叫，10 分鐘內維持該價格。',
    },
    docs: 'accounts',
    section: { en: 'quotes', 'zh-TW': '報價' },
  },
  {
    id: 'key-budgets',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Budgets, rates and child keys', 'zh-TW': '預算、速率與子金鑰' },
    text: {
      en: 'A key can have `budgets` for a day, a month, a session and in all, and `rates`. A key with `delegate` creates child keys within its own limits. `daily_budget_ntd` is another name of `budgets.day_ntd`.',
      'zh-TW':
        '金鑰可以設定每日、每月、每個工作階段與總額的 `budgets`，以及 `rates`。有 `delegate` 的金鑰可以在自己的限制內建立子金鑰。`daily_budget_ntd` 是 `budgets.day_ntd` 的另一個名稱。',
    },
    docs: 'accounts',
    section: { en: 'budgets-and-rates', 'zh-TW': '預算與速率' },
  },
  {
    id: 'price-rules',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Prices that depend on the request', 'zh-TW': '依請求而定的價格' },
    text: {
      en: 'A model can have prices for long input (`tiers`), for service tiers (`service_tiers`) and for calls of tools (`tools`). The catalog, `/v1/models` and receipts show them.',
      'zh-TW':
        '模型可以有長輸入的價格（`tiers`）、服務等級的價格（`service_tiers`）與工具呼叫的費用（`tools`）。模型目錄、`/v1/models` 與用量明細都會列出。',
    },
    docs: 'accounts',
    section: { en: 'prices-that-depend-on-the-request', 'zh-TW': '依請求而定的價格' },
  },
  {
    id: 'actions',
    date: '2026-11-18',
    kind: 'changed',
    title: { en: 'Errors that can be acted on', 'zh-TW': '可以直接處理的錯誤' },
    text: {
      en: 'An error message gives the cause, the figures and the remedy, and `actions` are calls that work as they are written. Codes, statuses and fields are as before.',
      'zh-TW': '錯誤訊息先說明原因與數字，再說明解法；`actions` 列出的呼叫可以照原樣執行。錯誤代碼、狀態碼與欄位不變。',
    },
    docs: 'errors',
  },
  {
    id: 'discovery',
    date: '2026-11-18',
    kind: 'added',
    title: { en: 'Discovery for agents', 'zh-TW': '供代理程式探索的位址' },
    text: {
      en: '`/.well-known/api-catalog`, `/.well-known/oauth-protected-resource`, `/auth.md`, `/skill.md` and `/llms-full.txt`, and `Link` headers that lead to them. `next_steps` and `env` of a registration cover streams, keys with limits, cards and Claude Code.',
      'zh-TW':
        '新增 `/.well-known/api-catalog`、`/.well-known/oauth-protected-resource`、`/auth.md`、`/skill.md` 與 `/llms-full.txt`，以及指向它們的 `Link` 標頭。註冊回應的 `next_steps` 與 `env` 涵蓋串流、有限制的金鑰、儲值卡與 Claude Code。',
    },
    docs: 'getting-started',
  },
  {
    id: 'status-times',
    date: '2026-11-18',
    kind: 'changed',
    title: { en: 'Status: streams and whole answers apart', 'zh-TW': '狀態：串流與非串流分開計時' },
    text: {
      en: 'In `GET /api/public/status`, `first_token_ms` and `total_ms` are those of streams. The new `whole_ms` is the time of answers that were not streamed.',
      'zh-TW':
        '`GET /api/public/status` 的 `first_token_ms` 與 `total_ms` 只計算串流；新欄位 `whole_ms` 是非串流回答所花的時間。',
    },
    docs: 'reliability',
  },
  {
    id: 'demo',
    date: '2026-11-18',
    kind: 'changed',
    title: { en: 'Demo models are marked', 'zh-TW': '標示示範模型' },
    text: {
      en: 'Models that answer with built-in text have `demo: true` in the catalog, in `/v1/models`, in the status and at registration. `/v1/models` also has prices and `endpoints`, and a repeated redeem says `credited_ntd: 0`.',
      'zh-TW':
        '以內建文字回答的模型，在模型目錄、`/v1/models`、狀態與註冊回應中都有 `demo: true`。`/v1/models` 也列出價格與 `endpoints`；重複兌換同一張儲值卡會回報 `credited_ntd: 0`。',
    },
    docs: 'getting-started',
  },
  {
    id: 'receipt-rules',
    date: '2026-11-17',
    kind: 'added',
    title: { en: 'Receipts explain the cost', 'zh-TW': '用量明細說明費用' },
    text: {
      en: '`GET /api/receipts/{id}` has `rule` and `explanation`: why the request cost what it cost, in one sentence with its amounts.',
      'zh-TW': '`GET /api/receipts/{id}` 有 `rule` 與 `explanation`：用一句話和金額說明這次請求為什麼收這個費用。',
    },
    docs: 'accounts',
    section: { en: 'receipts', 'zh-TW': '用量明細' },
  },
  {
    id: 'first-version',
    date: '2026-11-15',
    kind: 'added',
    title: { en: 'First version', 'zh-TW': '第一版' },
    text: {
      en: 'Registration in one call, keys, prepaid cards, usage and receipts under `/api`; chat, responses, messages, embeddings and images under `/v1`.',
      'zh-TW':
        '`/api` 提供一次呼叫即可完成的註冊、金鑰、儲值卡、用量與用量明細；`/v1` 提供 chat、responses、messages、embeddings 與 images。',
    },
    docs: 'getting-started',
  },
];
